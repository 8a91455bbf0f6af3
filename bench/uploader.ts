// Many uploads at once, from a separate process. Reads `{url, file, tickets}` as one line of JSON, and prints the status
// of each answer and its time in milliseconds.

interface Order {
  readonly file: string
  readonly targets: readonly { readonly url: string; readonly headers: Record<string, string> }[]
}

const { file, targets } = JSON.parse(await Bun.stdin.text()) as Order
const bytes = await Bun.file(file).bytes()
const startedAt = performance.now()
const answers = await Promise.all(
  targets.map(async ({ url, headers }) => {
    const response = await fetch(url, { method: 'PUT', headers, body: bytes })
    await response.arrayBuffer()
    return { status: response.status, milliseconds: performance.now() - startedAt }
  }),
)
process.stdout.write(`${JSON.stringify(answers)}\n`)
