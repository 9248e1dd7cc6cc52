import { crc32, deflateSync } from "node:zlib";

type HeaderField = "width" | "height" | "bitDepth" | "colorType" | "compression" | "filter" | "interlace";

/** The header of a PNG file, of one grey pixel of 8 bits except for these fields. */
export function pngHeader(fields: Partial<Record<HeaderField, number>>): Buffer {
  const { width = 1, height = 1, bitDepth = 8, colorType = 0 } = fields;
  const { compression = 0, filter = 0, interlace = 0 } = fields;
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([bitDepth, colorType, compression, filter, interlace], 8);
  return pngChunk("IHDR", data);
}

export function pngChunk(type: string, content: string | Uint8Array): Buffer {
  const data = typeof content === "string" ? Buffer.from(content, "latin1") : content;
  const chunk = Buffer.alloc(data.length + 12);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, "latin1");
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, data.length + 8)), data.length + 8);
  return chunk;
}

export function pngOf(...parts: readonly Uint8Array[]): Buffer<ArrayBuffer> {
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...parts]);
}

/** A picture of one color. */
export function pngFile({ width = 4, height = 4, gray = 120, text = "" } = {}): Buffer<ArrayBuffer> {
  const rows = Buffer.alloc((width + 1) * height, gray);
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0;
  const about = text === "" ? [] : [pngChunk("tEXt", text)];
  const data = pngChunk("IDAT", deflateSync(rows));
  return pngOf(pngHeader({ width, height }), ...about, data, pngChunk("IEND", ""));
}

export function svgFile(inside = '<circle cx="8" cy="8" r="7" fill="#1d4ed8"/>'): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${inside}</svg>`;
}

/**
 * Everything that could run a script in an SVG file and that is removed. Each calls `ran` of the window, with a shape
 * beside it, so that a logo is left.
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
