import type { LookupAddress } from 'node:dns'
import { isIP, connect as plainConnect, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import type { LoopShare } from '../../../base/loop-share.ts'
import { AttemptFailed } from './attempt-failures.ts'
import { plainHost, portOf } from './url.ts'

/** A name with more addresses than these is not tried further. */
const MOST_TRIED = 4
/** Of processor time, outside of JavaScript. */
const CONNECT_MS = 0.25
const HANDSHAKE_MS = 0.8

interface Destination {
  readonly url: URL
  /** Checked; never resolved again. */
  readonly addresses: readonly LookupAddress[]
  readonly ended: AbortSignal
  readonly withinMs: number
  readonly share: LoopShare
  readonly ca?: string
}

/** Tries one address after the other: each may take its part of the time that is left. */
export async function connectTo({ addresses, withinMs, ...destination }: Destination): Promise<Socket> {
  const endsAt = performance.now() + withinMs
  const tried = addresses.slice(0, MOST_TRIED)
  let failure: unknown = new AttemptFailed('connection_failed')
  for (const [i, { address }] of tried.entries()) {
    destination.ended.throwIfAborted()
    try {
      return await open(address, { ...destination, withinMs: (endsAt - performance.now()) / (tried.length - i) })
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

function open(address: string, { url, ended, withinMs, share, ca }: Omit<Destination, 'addresses'>): Promise<Socket> {
  const isSecure = url.protocol === 'https:'
  return new Promise((resolve, reject) => {
    let socket: Socket | null = null
    let isOver = false
    const stop = (why: unknown) => {
      isOver = true
      clearTimeout(late)
      ended.removeEventListener('abort', onAbort)
      socket?.destroy()
      reject(why)
    }
    const onAbort = () => stop(ended.reason)
    const late = setTimeout(() => stop(new AttemptFailed('timeout')), withinMs)
    ended.addEventListener('abort', onAbort, { once: true })
    const begin = () => {
      if (isOver) return
      const opened = socketTo(address, url, ca)
      socket = opened
      opened.on('error', stop)
      opened.on('close', () => stop(new AttemptFailed('connection_failed')))
      opened.once(isSecure ? 'secureConnect' : 'connect', () => {
        clearTimeout(late)
        ended.removeEventListener('abort', onAbort)
        resolve(opened)
      })
    }
    share.run(begin, isSecure ? HANDSHAKE_MS : CONNECT_MS)
  })
}

function socketTo(address: string, url: URL, ca: string | undefined): Socket {
  const host = plainHost(url)
  const to = { host: address, port: portOf(url) }
  if (url.protocol !== 'https:') return plainConnect(to)
  // The certificate is checked for the host of the URL, not for its address.
  return tlsConnect({ ...to, servername: isIP(host) === 0 ? host : '', ...(ca === undefined ? {} : { ca }) })
}
