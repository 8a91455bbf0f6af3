/** The JSON between the marks of a result, and whether it is an error. */
export function dataOf(result: unknown): { json: { data: Record<string, unknown> }; text: string; isError: boolean } {
  const { content, isError = false } = result as { content: { text: string }[]; isError?: boolean }
  const text = content[0]?.text ?? ''
  const marked = /^[^\n]+\n<tossup-data>\n(.*)\n<\/tossup-data>$/s.exec(text)?.[1]
  return { json: JSON.parse(marked ?? '{}'), text, isError }
}
