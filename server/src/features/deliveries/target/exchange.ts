import type { Socket } from 'node:net'
import type { LoopShare } from '../../../base/loop-share.ts'
import { AnswerReader, type Posted } from './answer-reader.ts'
import { AttemptFailed } from './attempt-failures.ts'

/** Of processor time, for the system call of a read. */
const READ_MS = 0.05

interface Exchange {
  readonly request: Buffer
  readonly ended: AbortSignal
  readonly share: LoopShare
}

/** Sends one request and reads its answer. The connection is destroyed at the end. */
export function exchange(socket: Socket, { request, ended, share }: Exchange): Promise<Posted> {
  const reader = new AnswerReader()
  return new Promise((resolve, reject) => {
    let isOver = false
    /** A status that has arrived decides, however its body ends. */
    const finish = (failure: unknown) => {
      if (isOver) return
      isOver = true
      ended.removeEventListener('abort', onAbort)
      socket.destroy()
      if (reader.answer) resolve(reader.answer)
      else reject(failure)
    }
    const onAbort = () => finish(ended.reason)
    const read = (bytes: Buffer) => {
      if (isOver) return
      try {
        if (reader.add(bytes)) finish(null)
        else socket.resume()
      } catch (error) {
        finish(error)
      }
    }
    if (ended.aborted) onAbort()
    ended.addEventListener('abort', onAbort, { once: true })
    // In turn: what has arrived before may still wait to be read.
    socket.on('error', (error) => share.run(() => finish(error)))
    socket.on('close', () => share.run(() => finish(new AttemptFailed('connection_failed'))))
    socket.on('data', (bytes: Buffer) => {
      // The receiver waits until there is time for what it has sent.
      socket.pause()
      share.run(() => read(bytes), READ_MS)
    })
    socket.write(request)
  })
}
