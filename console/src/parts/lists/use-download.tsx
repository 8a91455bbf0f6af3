import { Button, Paper } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { isTossupError } from '../../../../sdk/src/index.ts'
import styles from '../../styles/download.css' with { type: 'text' }
import { decimal, filled, percent, words } from '../../words/words.ts'
import { toast, toastFailure } from '../messages/toasts.tsx'
import { addStyles } from '../polls/sheet.ts'
import { type Received, saveStream } from './download.ts'

addStyles(styles)

const MEGABYTE = 1_000_000
const PAGE_LEFT = 'page left'
/** More often is no use to anybody who reads it. */
const SHOW_EVERY_MS = 100

interface DownloadRequest {
  readonly open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>
  readonly name: string
  readonly said: string
  /** The lines of the whole file, where they are known. */
  readonly lines?: number
}

interface Download {
  readonly start: (wanted: DownloadRequest) => void
  readonly isRunning: boolean
  /** How far it is, and a button that ends it. */
  readonly note: ReactNode
}

/** Downloads a file of any length, and shows how much of it has come. */
export function useDownload(): Download {
  const [received, setReceived] = useState<Received | null>(null)
  const leaving = useRef(new AbortController())
  const { mutate, isPending, variables } = useMutation({
    async mutationFn({ open, name }: DownloadRequest) {
      leaving.current = new AbortController()
      let shownAt = 0
      await saveStream(await open(leaving.current.signal), name, (now) => {
        if (performance.now() - shownAt < SHOW_EVERY_MS) return
        shownAt = performance.now()
        setReceived(now)
      })
    },
    onSuccess: (_, { said }) => toast(said),
    onError(error) {
      const { aborted, reason } = leaving.current.signal
      // A stream that breaks off has an error of the browser, in words of its own.
      if (!aborted) toastFailure(isTossupError(error) ? error : new Error(words().state.unreachable))
      else if (reason !== PAGE_LEFT) toast(words().download.stopped)
    },
    onSettled: () => setReceived(null),
  })
  // The note and its Cancel button leave with the page, so the download must end too.
  useEffect(() => () => leaving.current.abort(PAGE_LEFT), [])
  const note =
    isPending && variables
      ? createPortal(
          <DownloadNote received={received} lines={variables.lines} onStop={() => leaving.current.abort()} />,
          document.body,
        )
      : null
  return { start: mutate, isRunning: isPending, note }
}

interface NoteProps {
  readonly received: Received | null
  readonly lines: number | undefined
  readonly onStop: () => void
}

function DownloadNote({ received, lines, onStop }: NoteProps) {
  const { download, common } = words()
  const share = received && lines ? Math.min(1, received.lines / lines) : undefined
  const megabytes = decimal((received?.bytes ?? 0) / MEGABYTE)
  return (
    <Paper withBorder shadow="md" p="sm" className="download-note" component="section" aria-label={download.running}>
      <progress aria-label={download.running} max={1} {...(share === undefined ? {} : { value: share })} />
      <span>{share === undefined ? filled(download.size, { size: megabytes }) : percent(share)}</span>
      <Button size="compact-sm" variant="default" onClick={onStop}>
        {common.cancel}
      </Button>
    </Paper>
  )
}
