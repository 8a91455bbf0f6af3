/** The part of a stream that has arrived. */
export interface Received {
  readonly bytes: number
  readonly lines: number
}

const NEWLINE = 10

function linesIn(chunk: Uint8Array): number {
  let lines = 0
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines++
  return lines
}

/** Saves a stream as a file. The token is in a header, so the browser cannot fetch it by a link. */
export async function saveStream(
  stream: ReadableStream<Uint8Array>,
  name: string,
  onProgress: (received: Received) => void,
): Promise<void> {
  let received: Received = { bytes: 0, lines: 0 }
  const counted = stream.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        received = { bytes: received.bytes + chunk.length, lines: received.lines + linesIn(chunk) }
        onProgress(received)
        controller.enqueue(chunk)
      },
    }) as ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array>,
  )
  saveFile(await new Response(counted).blob(), name)
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
