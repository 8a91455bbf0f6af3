import type { Peers } from '../src/http/incoming.ts'

/** All requests come from one address, without a socket. */
export const peersFrom = (address: string): Peers => ({
  addressOf: () => address,
  connectionOf: () => '',
  holdOpen: () => undefined,
})

export const LOCAL = peersFrom('127.0.0.1')

/** The connections of a server that a test started. */
export const peersOf = (server: () => Pick<Bun.Server<undefined>, 'requestIP'>): Peers => ({
  addressOf: (request) => server().requestIP(request)?.address ?? '',
  connectionOf: (request) => String(server().requestIP(request)?.port ?? ''),
  holdOpen: () => undefined,
})
