import { randomUUID } from 'node:crypto'
import type { Witness } from '../crash/witness.ts'
import { checkAgainstOpenApi } from '../openapi-check.ts'
import { peersFrom } from '../peers.ts'
import type { PairData, TestBrand, TestService } from '../service.ts'
import { type Chaos, Disturbance } from './chaos.ts'

export interface Scene {
  readonly service: TestService
  readonly chaos: Chaos
  /** The address of this run's clients: used refresh tokens count against their network. */
  readonly address: string
  readonly brand: TestBrand
  readonly polls: readonly string[]
  readonly devices: readonly string[]
  readonly keys: readonly string[]
  readonly witness: Witness
  readonly made: MadePolls
  readonly tokens: KnownTokens
}

/** Polls that were created with each idempotency key. */
export class MadePolls {
  readonly idsOf = new Map<string, Set<string>>()
  readonly titlesOf = new Map<string, Set<string>>()

  hear(key: string, { id, title }: { id: string; title: string }): void {
    this.idsOf.set(key, (this.idsOf.get(key) ?? new Set()).add(id))
    this.titlesOf.set(key, (this.titlesOf.get(key) ?? new Set()).add(title))
  }
}

/** The refresh tokens of one family that its client has heard of, and what each was exchanged for. */
export class KnownTokens {
  readonly all: string[]
  readonly successorsOf = new Map<string, Set<string>>()

  constructor(first: string) {
    this.all = [first]
  }

  hear(presented: string, { refreshToken }: PairData): void {
    this.successorsOf.set(presented, (this.successorsOf.get(presented) ?? new Set()).add(refreshToken))
    if (!this.all.includes(refreshToken)) this.all.push(refreshToken)
  }
}

/** Something that a client does; throws when the answer is none that it may get. */
export type Action = (scene: Scene) => Promise<void>

const vote: Action = async (scene) => {
  const { chaos, polls, devices, witness } = scene
  const attempt = { poll: pick(chaos, polls), device: pick(chaos, devices) }
  const option = pick(chaos, ['A', 'B'])
  witness.sends(attempt)
  const headers = { 'X-Device-Id': attempt.device }
  const { status, text } = await send(scene, 'POST', `polls/${attempt.poll}/votes`, { headers, json: { option } })
  witness.hears(attempt, status, text)
}

const readTallies: Action = async (scene) => {
  expectOneOf(await send(scene, 'GET', `polls/${pick(scene.chaos, scene.polls)}/tallies`), [200, 503])
}

const createPoll: Action = async (scene) => {
  const { chaos, keys, brand, made } = scene
  const key = pick(chaos, keys)
  const json = {
    title: `${pick(chaos, ['Tea or coffee', 'Cats or dogs'])} ${key}`,
    optionA: { label: 'A' },
    optionB: { label: 'B' },
  }
  const headers = { Authorization: `Bearer ${brand.token}`, 'X-Service-Idempotency-Key': key }
  const answer = await send(scene, 'POST', 'brands/me/polls', { headers, json })
  expectOneOf(answer, [201, 409, 422, 503])
  if (answer.status === 201) made.hear(key, JSON.parse(answer.text).data)
}

const refresh: Action = async (scene) => {
  const presented = pick(scene.chaos, scene.tokens.all.slice(-2))
  const answer = await send(scene, 'POST', 'auth/token/refresh', { headers: {}, json: { refreshToken: presented } })
  expectOneOf(answer, [200, 401, 429, 503])
  if (answer.status === 200) scene.tokens.hear(presented, JSON.parse(answer.text).data)
}

/** The worker logs a failed round and begins the next one. */
const deliver: Action = async ({ service }) => {
  try {
    await service.runDue()
  } catch (error) {
    if (!(error instanceof Disturbance)) throw error
  }
}

/** Voting most, because it has the most to lose. */
export const ACTIONS: readonly Action[] = [vote, vote, vote, vote, readTallies, createPoll, refresh, deliver]

export const pick = <T>(chaos: Chaos, from: readonly T[]): T => from[chaos.below(from.length)] as T

interface Sent {
  readonly headers: Record<string, string>
  readonly json?: object
}

interface Heard {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Without a socket, whose speed no seed could repeat. */
export async function send({ service, address }: Scene, method: string, path: string, sent?: Sent): Promise<Heard> {
  const target = `/api/rest/v1/${path}`
  const headers = { ...sent?.headers, ...(sent?.json ? { 'Content-Type': 'application/json' } : {}) }
  const body = sent?.json ? { body: JSON.stringify(sent.json) } : {}
  const answer = await service.service.fetch(
    new Request(service.service.url + target, { method, headers, ...body }),
    peersFrom(address),
  )
  const text = await answer.text()
  checkAgainstOpenApi(method, target, { status: answer.status, headers: answer.headers, text })
  return { status: answer.status, headers: answer.headers, text }
}

export function expectOneOf({ status, text }: Heard, allowed: readonly number[]): void {
  if (!allowed.includes(status)) throw new Error(`answered ${status}: ${text}`)
}

export const newIds = (count: number): string[] => Array.from({ length: count }, () => randomUUID())
