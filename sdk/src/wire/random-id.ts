/** The pattern of a UUID version 4: each 0 is any digit, the 8 is 8, 9, a or b: its higher bits are kept. */
const PATTERN = '00000000-0000-4000-8000-000000000000'

/** A random UUID. `crypto.randomUUID` is missing on pages without TLS, and in React Native. */
export function randomId(): string {
  const { crypto } = globalThis
  if (!crypto) throw new Error('Import react-native-get-random-values')
  return PATTERN.replace(/[08]/g, (digit) => {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1))
    return (+digit ^ (byte & (15 >> (+digit / 4)))).toString(16)
  })
}
