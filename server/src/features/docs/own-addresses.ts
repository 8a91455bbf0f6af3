import type { Token, Tokens } from 'marked'

/** The addresses that examples in the texts use for a service: on the reader's machine, and on the internet. */
const HERE = 'http://127.0.0.1:3000'
const PUBLISHED = 'https://polls.example.com'

/** Blocks that start or set up a server: it is another one than the server that shows the text. */
const STARTS_A_SERVER = /\bnpm start\b|\bserve\b|\bdocker run\b/

/** Puts the address of the running service into the examples of a text, so that they work as they are copied. */
export function withOwnAddress(token: Token, publicUrl: string): void {
  if (token.type !== 'code' && token.type !== 'codespan') return
  const code = token as Tokens.Code | Tokens.Codespan
  if (STARTS_A_SERVER.test(code.text)) return
  code.text = code.text.replaceAll(HERE, () => publicUrl)
  // An example for the internet stays one where this service is reached without TLS: an app refuses such an address.
  if (publicUrl.startsWith('https:')) code.text = code.text.replaceAll(PUBLISHED, () => publicUrl)
}
