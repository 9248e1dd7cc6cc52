import { crc32, deflateSync } from "node:zlib";

/** A PNG file of one color. */
export function pngFile({ width = 4, height = 4, gray = 120 } = {}): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const rows = Buffer.alloc((width + 1) * height, gray);
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0;
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(rows)),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(data.length + 12);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, "latin1");
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, data.length + 8)), data.length + 8);
  return chunk;
}

/** The start of a JPEG file, which has its size after a comment. */
export function jpegFile({ width = 4, height = 4, marker = 0xc0 } = {}): Buffer<ArrayBuffer> {
  const frame = Buffer.from([0xff, marker, 0, 17, 8, 0, 0, 0, 0, 3, 1, 17, 0, 2, 17, 1, 3, 17, 1]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0, 6, 1, 2, 3, 4]),
    frame,
    Buffer.from([0xff, 0xd9]),
  ]);
}

/** A WebP file of one of the three formats, up to its size. */
export function webpFile({ width = 4, height = 4, format = "VP8X" } = {}): Buffer<ArrayBuffer> {
  const file = Buffer.alloc(40);
  file.write("RIFF", 0, "latin1");
  file.writeUInt32LE(32, 4);
  file.write(`WEBP${format}`, 8, "latin1");
  if (format === "VP8X") {
    file.writeUIntLE(width - 1, 24, 3);
    file.writeUIntLE(height - 1, 27, 3);
  } else if (format === "VP8L") {
    file[20] = 0x2f;
    file.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21);
  } else {
    file.writeUIntBE(0x9d_01_2a, 23, 3);
    file.writeUInt16LE(width, 26);
    file.writeUInt16LE(height, 28);
  }
  return file;
}

export function svgFile(inside = '<circle cx="8" cy="8" r="7" fill="#1d4ed8"/>'): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${inside}</svg>`;
}

/**
 * Everything that could run a script in an SVG file or load something. Each would set the title.
 */
export const hostileSvg: string = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 16 16" onload="document.title='ran'">
  <script>document.title = "ran"</script>
  <script href="data:text/javascript,document.title='ran'"/>
  <a href="javascript:document.title='ran'"><rect width="16" height="16" fill="#fff" onclick="document.title='ran'"/></a>
  <foreignObject width="16" height="16"><body xmlns="http://www.w3.org/1999/xhtml" onload="document.title='ran'"><img src="x" onerror="document.title='ran'"/><iframe srcdoc="&lt;script&gt;parent.document.title='ran'&lt;/script&gt;"/></body></foreignObject>
  <animate attributeName="href" values="javascript:document.title='ran'" onbegin="document.title='ran'"/>
  <set attributeName="onmouseover" to="document.title='ran'"/>
  <image href="https://tracker.example.com/pixel.png" onload="document.title='ran'"/>
  <use xlink:href="data:image/svg+xml,&lt;svg xmlns='http://www.w3.org/2000/svg' onload='document.title=1'/&gt;#x"/>
  <circle cx="8" cy="8" r="7" fill="#1d4ed8" style="background:url(https://tracker.example.com/x)" onmouseover="document.title='ran'"/>
</svg>`;
