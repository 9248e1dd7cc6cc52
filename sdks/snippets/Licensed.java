import io.countersign.Countersign;
import io.countersign.ValidateOptions;
import io.countersign.ValidateResult;

public class Licensed {
  public static void main(String[] arguments) {
    Countersign countersign =
        Countersign.builder()
            .apiKey(System.getenv("COUNTERSIGN_API_KEY"))
            .baseUrl("https://license.example.com")
            .build();

    ValidateResult result =
        countersign.validate(System.getenv("LICENSE_KEY"), ValidateOptions.none().version("1.0.0"));
    System.out.println(result.valid() ? "Licensed." : "Not licensed: " + result.status());
  }
}
