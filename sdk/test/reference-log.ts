// A log of votes by another implementation than the one under test: trees by the definition of RFC 6962, hashes and
// signatures by node:crypto. Tests tamper with what it serves.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

const sha256 = (...parts: (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** MTH of RFC 6962, 2.1. */
export function treeHash(leaves: readonly Buffer[], from = 0, to = leaves.length): Buffer {
  if (to === from) return sha256()
  if (to - from === 1) return leaves[from] as Buffer
  let half = 1
  while (2 * half < to - from) half *= 2
  return sha256(Buffer.of(1), treeHash(leaves, from, from + half), treeHash(leaves, from + half, to))
}

/** PATH of RFC 6962, 2.1.1. */
function inclusionPath(leaves: readonly Buffer[], index: number, from = 0, to = leaves.length): Buffer[] {
  if (to - from === 1) return []
  let half = 1
  while (2 * half < to - from) half *= 2
  const middle = from + half
  return index < middle
    ? [...inclusionPath(leaves, index, from, middle), treeHash(leaves, middle, to)]
    : [...inclusionPath(leaves, index, middle, to), treeHash(leaves, from, middle)]
}

export const leavesOf = (entries: readonly string[]): Buffer[] =>
  entries.map((entry) => sha256(Buffer.of(0), Buffer.from(entry)))

export interface Vote {
  readonly option: 'A' | 'B'
  readonly nonce: string
}

export const randomVotes = (count: number): Vote[] =>
  Array.from({ length: count }, (_, i) => ({
    option: i % 3 === 0 ? 'B' : 'A',
    nonce: randomBytes(16).toString('base64url'),
  }))

export const entryOfVote = ({ option, nonce }: Vote): string =>
  `tossup-vote/1 ${option} ${sha256(Buffer.from(nonce, 'base64url')).toString('base64url')}`

const POLL_ID = '5b0f3a52-7f3e-4a6c-9d1b-2f6f0c9d7e11'

export class ReferenceLog {
  readonly pollId: string
  readonly origin: string
  readonly publicKey: string
  readonly #secret: KeyObject
  readonly #keyId: Buffer
  entries: string[]
  /** Served in place of the signed values. */
  served: {
    entries?: string[]
    tallies?: [number, number]
    checkpoint?: string
    publicKey?: string
    isWithout?: RegExp
  } = {}
  restarts: { origin: string; size: number; at: string }[] = []
  /** The addresses that were asked for. */
  readonly asked: string[] = []
  #known: { readonly entries: readonly string[]; readonly leaves: Buffer[] } = { entries: [], leaves: [] }

  constructor({ host = 'polls.example.com', votes = randomVotes(0), pollId = POLL_ID, generation = 'aB3_x9' } = {}) {
    this.pollId = pollId
    this.origin = `${host}/log/${pollId}/${generation}`
    this.entries = votes.map(entryOfVote)
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const key = Buffer.concat([Buffer.of(1), publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)])
    this.#keyId = sha256(`${this.origin}\n`, key).subarray(0, 4)
    this.publicKey = `${this.origin}+${this.#keyId.toString('hex')}+${key.toString('base64')}`
    this.#secret = privateKey
  }

  /** Signs the first `size` entries, or others. */
  sign(size = this.entries.length, entries: readonly string[] = this.entries): string {
    const leaves = entries === this.entries ? this.leaves() : leavesOf(entries)
    const text = `${this.origin}\n${size}\n${treeHash(leaves, 0, size).toString('base64')}\n`
    const signature = Buffer.concat([this.#keyId, sign(null, Buffer.from(text), this.#secret)])
    return `${text}\n— ${this.origin} ${signature.toString('base64')}\n`
  }

  leaves(): Buffer[] {
    if (this.#known.entries !== this.entries) this.#known = { entries: this.entries, leaves: leavesOf(this.entries) }
    return this.#known.leaves
  }

  tallies(): [number, number] {
    const b = this.entries.filter((entry) => entry.startsWith('tossup-vote/1 B')).length
    return [this.entries.length - b, b]
  }

  receipt(vote: Vote, size = this.entries.length) {
    const index = this.entries.indexOf(entryOfVote(vote))
    const proof = inclusionPath(this.leaves(), index, 0, size).map((hash) => hash.toString('base64'))
    return { nonce: vote.nonce, index, proof, checkpoint: this.sign(size) }
  }

  bundle(): string {
    const { origin, publicKey, restarts, served } = this
    const poll = {
      id: this.pollId,
      slug: 'tea-or-coffee',
      shortId: 'Xk3_pQ9vZ2Lm',
      title: 'Tea or coffee?',
      optionA: 'Tea',
      optionB: 'Coffee',
    }
    const entries = served.entries ?? this.entries
    const checkpoint = served.checkpoint ?? this.sign()
    return JSON.stringify({
      format: 'tossup-log-bundle/1',
      poll,
      origin,
      publicKey: served.publicKey ?? publicKey,
      checkpoint,
      entries,
      restarts,
    })
  }

  /** Serves the poll and its log as CONTRACT 13 says; null for other addresses. */
  answer(address: string): Response | null {
    const { pathname } = new URL(address)
    this.asked.push(pathname)
    if (this.served.isWithout?.test(pathname)) return new Response('', { status: 404 })
    const log = `/${this.origin.split('/').slice(1).join('/')}`
    const url = `${new URL(address).protocol}//${this.origin}`
    const [optionA, optionB] = this.served.tallies ?? this.tallies()
    if (/\/polls\/[^/]+$/.test(pathname)) {
      const tallies = { optionA, optionB, total: optionA + optionB }
      return data({
        id: this.pollId,
        title: 'Tea or coffee?',
        optionA: { label: 'Tea' },
        optionB: { label: 'Coffee' },
        tallies,
        status: 'open',
      })
    }
    const checkpoint = this.served.checkpoint ?? this.sign()
    const publicKey = this.served.publicKey ?? this.publicKey
    const { origin, restarts } = this
    const now = '2026-01-31T12:00:00.000Z'
    if (/\/polls\/[^/]+\/log$/.test(pathname)) {
      return data({
        url,
        origin,
        publicKey,
        size: this.entries.length,
        checkpoint,
        checkpointAt: now,
        startedAt: now,
        restarts,
      })
    }
    if (pathname === `${log}/checkpoint`) return new Response(checkpoint)
    if (pathname === `${log}/bundle`) return new Response(this.bundle())
    return pathname.startsWith(`${log}/tile/`) ? this.#tile(pathname.slice(`${log}/tile/`.length)) : null
  }

  #tile(path: string): Response | null {
    const [, level = '', place = '', width = '256'] =
      /^(entries|\d)\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d+))?$/.exec(path) ?? []
    const number = Number(place.replaceAll(/[x/]/g, ''))
    const from = number * 256
    const to = from + Number(width)
    if (level === 'entries') {
      const entries = (this.served.entries ?? this.entries).slice(from, to)
      return new Response(
        Buffer.concat(entries.map((entry) => Buffer.concat([Buffer.of(0, entry.length), Buffer.from(entry)]))),
      )
    }
    const unit = 256 ** Number(level)
    if (to * unit > this.entries.length) return new Response('', { status: 404 })
    const hashes = Array.from({ length: to - from }, (_, i) =>
      treeHash(this.leaves(), (from + i) * unit, (from + i + 1) * unit),
    )
    return new Response(Buffer.concat(hashes))
  }
}

const data = (value: unknown): Response => Response.json({ data: value })
