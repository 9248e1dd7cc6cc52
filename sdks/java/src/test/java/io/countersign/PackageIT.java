package io.countersign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks the packaged jars that are uploaded. */
class PackageIT {
  private static final String BUILT = System.getProperty("built");

  @Test
  void everyClassRunsOnJava11() throws IOException {
    int count = 0;
    try (JarFile jar = new JarFile(BUILT + ".jar")) {
      for (JarEntry entry : jar.stream().collect(Collectors.toList())) {
        if (!entry.getName().endsWith(".class")) continue;
        DataInputStream in = new DataInputStream(jar.getInputStream(entry));
        assertEquals(0xCAFEBABE, in.readInt());
        in.readUnsignedShort();
        assertEquals(55, in.readUnsignedShort(), entry.getName());
        count++;
      }
    }
    assertTrue(count > 20, "there are classes");
  }

  @Test
  void theJarIsAModuleThatRequiresOnlyTheJdk() {
    ModuleDescriptor module =
        ModuleFinder.of(Path.of(BUILT + ".jar")).find("io.countersign").orElseThrow().descriptor();
    assertEquals(
        Set.of("java.base", "java.net.http"),
        module.requires().stream().map(ModuleDescriptor.Requires::name).collect(Collectors.toSet()));
    assertEquals(
        Set.of("io.countersign", "io.countersign.events"),
        module.exports().stream().map(ModuleDescriptor.Exports::source).collect(Collectors.toSet()));
    assertEquals(Set.of("io.countersign", "io.countersign.events"), module.packages());
  }

  @Test
  void theJarContainsTheLicense() throws IOException {
    try (JarFile jar = new JarFile(BUILT + ".jar")) {
      assertTrue(jar.getEntry("META-INF/LICENSE") != null);
    }
  }

  @Test
  void theSourcesJarIsComplete() throws IOException {
    Path sources = Path.of("src/main/java");
    try (JarFile jar = new JarFile(BUILT + "-sources.jar");
        Stream<Path> files = Files.walk(sources)) {
      Set<String> expected =
          files
              .filter(Files::isRegularFile)
              .map(file -> sources.relativize(file).toString().replace('\\', '/'))
              .collect(Collectors.toCollection(TreeSet::new));
      Set<String> packed =
          jar.stream()
              .map(JarEntry::getName)
              .filter(name -> name.endsWith(".java"))
              .collect(Collectors.toCollection(TreeSet::new));
      assertEquals(expected, packed);
    }
  }

  @Test
  void theDocumentationJarIsComplete() throws IOException {
    try (JarFile jar = new JarFile(BUILT + "-javadoc.jar")) {
      assertTrue(jar.getEntry("io.countersign/io/countersign/Countersign.html") != null);
      assertTrue(jar.getEntry("index.html") != null);
    }
  }

  @Test
  void theJarsContainNoBuildTime() throws IOException {
    for (String kind : new String[] {"", "-sources", "-javadoc"})
      try (JarFile jar = new JarFile(BUILT + kind + ".jar")) {
        Set<Long> times = jar.stream().map(JarEntry::getTime).collect(Collectors.toSet());
        assertEquals(1, times.size(), "one time for every file" + kind);
      }
  }
}
