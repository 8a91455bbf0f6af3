/** Saves a stream as a file. The token is in a header, so the browser cannot fetch it by a link. */
export async function saveStream(stream: ReadableStream<Uint8Array>, name: string): Promise<void> {
  saveFile(await new Response(stream).blob(), name)
}

export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has taken the file by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
