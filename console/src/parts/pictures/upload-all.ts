import type { Tossup, UploadTicket } from '../../../../sdk/src/index.ts'

const UPLOAD_MS = 120_000

interface Uploading<Name extends string> {
  readonly tossup: Tossup
  readonly files: readonly { readonly name: Name; readonly file: File }[]
  readonly ticketOf: (name: Name, file: File, signal: AbortSignal) => Promise<UploadTicket>
  readonly onProgress: (name: Name, share: number) => void
}

/** The addresses of the files by their names. The first that is refused ends the others, which then report nothing more. */
export async function uploadAll<Name extends string>({ tossup, files, ticketOf, onProgress }: Uploading<Name>) {
  const ending = new AbortController()
  const { signal } = ending
  const upload = async ({ name, file }: (typeof files)[number]) => {
    const told = (share: number) => signal.aborted || onProgress(name, share)
    const ticket = await ticketOf(name, file, signal)
    const { publicUrl } = await tossup.uploadFile(ticket, file, { timeoutMs: UPLOAD_MS, signal, onProgress: told })
    return [name, publicUrl] as const
  }
  try {
    return await Promise.all(files.map(upload))
  } catch (error) {
    ending.abort()
    throw error
  }
}
