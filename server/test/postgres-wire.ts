/** The part of PostgreSQL's protocol that a stand-in needs. */
export function message(type: string, body: Buffer): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

export const errorMessage = (sqlState: string, text: string): Buffer =>
  message('E', Buffer.from(`SFATAL\0C${sqlState}\0M${text}\0\0`))

/** The startup parameters of a connection. */
export function startupNames(first: Buffer): string[] {
  const parts = first.toString('utf8', 8, first.readInt32BE(0) - 2).split('\0')
  return parts.filter((_, i) => i % 2 === 0)
}
