import { crc32, deflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const ONE_BIT_GREY = [1, 0, 0, 0, 0]

function chunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name), data])
  const around = Buffer.alloc(8)
  around.writeUInt32BE(data.length)
  around.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)])
}

/**
 * Draws a code as a PNG of `side` pixels, one bit each. Modules are whole pixels, because blurred edges are harder to scan, and
 * the code is in the middle of what is left. At least one pixel for each module.
 */
export function qrPng(modules: readonly (readonly boolean[])[], side: number): Buffer {
  const scale = Math.max(1, Math.floor(side / modules.length))
  const margin = Math.max(0, Math.floor((side - scale * modules.length) / 2))
  const stride = 1 + Math.ceil(side / 8)
  const white = Buffer.alloc(stride, 0xff).fill(0, 0, 1)
  const rows = modules.map((row) => {
    const line = Buffer.from(white)
    for (const [x, isDark] of row.entries()) {
      if (!isDark) continue
      for (let at = margin + x * scale; at < margin + (x + 1) * scale; at++) {
        const byte = 1 + (at >> 3)
        line[byte] = (line[byte] ?? 0) & ~(0x80 >> (at & 7))
      }
    }
    return line
  })
  const lines = Array.from({ length: side }, (_, y) => rows[Math.floor((y - margin) / scale)] ?? white)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set(ONE_BIT_GREY, 8)
  const data = deflateSync(Buffer.concat(lines), { level: 1 })
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}
