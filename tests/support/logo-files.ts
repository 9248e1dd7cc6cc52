import { crc32, deflateSync } from "node:zlib";

/** A picture of one color. */
export function pngFile({ width = 4, height = 4, gray = 120, text = "" } = {}): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const rows = Buffer.alloc((width + 1) * height, gray);
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0;
  return new Uint8Array(
    Buffer.concat([
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
      chunk("IHDR", header),
      ...(text === "" ? [] : [chunk("tEXt", Buffer.from(text))]),
      chunk("IDAT", deflateSync(rows)),
      chunk("IEND", Buffer.alloc(0)),
    ]),
  );
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const whole = Buffer.alloc(data.length + 12);
  whole.writeUInt32BE(data.length, 0);
  whole.write(type, 4, "latin1");
  whole.set(data, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, data.length + 8)), data.length + 8);
  return whole;
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
