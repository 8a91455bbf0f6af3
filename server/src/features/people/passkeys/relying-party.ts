import type { Config } from '../../../config/config.ts'
import { header, type Incoming } from '../../../http/incoming.ts'
import { isLoopback } from '../../../http/network.ts'

export interface RelyingParty {
  readonly name: string
  readonly id: string
  readonly origins: string[]
}

/**
 * Passkeys belong to a host name, never to an address. On the machine itself that is `localhost`, with the port that the
 * browser asked.
 */
export function relyingParty({ publicUrl }: Pick<Config, 'publicUrl'>, incoming: Incoming): RelyingParty {
  const { hostname } = new URL(publicUrl)
  const name = 'Tossup'
  if (hostname !== 'localhost' && !isLoopback(hostname)) return { name, id: hostname, origins: [publicUrl] }
  const host = header(incoming, 'host') ?? ''
  const local = /^localhost(?::\d+)?$/.test(host) ? [`http://${host}`] : []
  return { name, id: 'localhost', origins: [publicUrl, ...local] }
}
