import { describe, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import {
  type Checkpoint,
  entriesIn,
  entryOf,
  type Hash,
  isExtension,
  LogError,
  numbered,
  openCheckpoint,
  openLog,
  proofOfExtension,
  readBundle,
  Tree,
  type Verdict,
  type VerifyOptions,
  verifyLog,
  verifyReceipt,
} from '@tossup/sdk/verify'
import vectors from './log-vectors.json' with { type: 'json' }
import { entryOfVote, leavesOf, ReferenceLog, randomVotes, treeHash, type Vote } from './reference-log.ts'

const hex = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString('hex')

function treeOf(entries: readonly string[]): Tree {
  const tree = new Tree()
  for (const entry of entries) tree.add(entry)
  return tree
}

const openedBy = (log: ReferenceLog, patienceMs = 0) =>
  openLog('https://polls.example.com', 'Xk3_pQ9vZ2Lm', {
    patienceMs,
    fetch: (async (address) => log.answer(String(address)) ?? new Response('', { status: 500 })) as typeof fetch,
  })

/** By the log's address and by its bundle. */
const ways: readonly [string, (log: ReferenceLog, options?: VerifyOptions) => Promise<Verdict>][] = [
  ['service', async (log, options) => verifyLog(await openedBy(log), options)],
  ['bundle', async (log, options) => verifyLog(readBundle(log.bundle()), options)],
]

const codesOf = ({ faults }: Verdict): string[] => faults.map(({ code }) => code)

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return error instanceof LogError ? error.code : String(error)
}

describe('the tree', () => {
  // The inputs of the test vectors of certificate-transparency-go, whose hashes RFC 6962 determines.
  const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
  const roots = [
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ]

  test('has the known hashes of RFC 6962', () => {
    const leaves = inputs.map((input) =>
      createHash('sha256').update(Buffer.of(0)).update(Buffer.from(input, 'hex')).digest(),
    )
    // All of these but '' are no text, so the tree takes them as the reference does: by their bytes.
    for (const [size, root] of roots.entries()) expect(hex(treeHash(leaves, 0, size))).toBe(root)
    expect(hex(new Tree().root())).toBe(roots[0] as string)
    expect(hex(treeOf(['']).root())).toBe(roots[1] as string)
    expect(hex(treeOf(['', '\0']).root())).toBe(roots[2] as string)
    expect(hex(treeOf(['', '\0', '\x10']).root())).toBe(roots[3] as string)
    expect(hex(treeOf(['', '\0', '\x10', ' !', '01', '@ABC', 'PQRSTUVW', '`abcdefghijklmno']).root())).toBe(
      roots[8] as string,
    )
  })

  test('has the root of another implementation at every size around those of tiles', () => {
    const entries = randomVotes(1_030).map(entryOfVote)
    const leaves = leavesOf(entries)
    const tree = new Tree()
    const wanted = new Set([...new Array(40).keys(), 255, 256, 257, 511, 512, 513, 1_023, 1_024, 1_025, 1_030])
    for (let size = 0; size <= entries.length; size++) {
      if (wanted.has(size)) expect(hex(tree.root())).toBe(hex(treeHash(leaves, 0, size)))
      tree.add(entries[size] ?? '')
    }
  })

  test('consistency proofs from tiles lead from each size to each, and from no other root', async () => {
    const log = new ReferenceLog({ votes: randomVotes(600) })
    const leaves = log.leaves()
    const source = await openedBy(log)
    const at = (size: number) => ({ size, root: Uint8Array.from(treeHash(leaves, 0, size)) as Hash })
    const sizes = [0, 1, 2, 3, 7, 8, 255, 256, 257, 300, 511, 512, 513, 599, 600]
    for (const first of sizes) {
      for (const last of sizes.filter((size) => size >= first)) {
        const proof = await proofOfExtension(first, last, source.readTile as NonNullable<typeof source.readTile>)
        const [before, after] = [at(first), at(last)]
        expect(isExtension({ before, after, proof })).toBe(true)
        if (first === 0) continue
        const other = Uint8Array.from(randomBytes(32)) as Hash
        expect(isExtension({ before: { ...before, root: other }, after, proof })).toBe(false)
        expect(isExtension({ before, after: { ...after, root: other }, proof })).toBe(false)
        expect(isExtension({ before, after, proof: [...proof, other] })).toBe(false)
        if (proof.length > 0) expect(isExtension({ before, after, proof: proof.slice(1) })).toBe(false)
      }
    }
  })
})

test('has the hashes, the checkpoint and the proof of the test vectors', async () => {
  const votes = Array.from({ length: 257 }, (_, i) => {
    const nonce = createHash('sha256').update(`nonce ${i}`).digest().subarray(0, 16).toString('base64url')
    return { option: i % 3 === 0 ? 'B' : 'A', nonce } as const
  })
  const entries = votes.map(({ option, nonce }) => entryOf(option, nonce) ?? '')
  expect(entries.slice(0, 3)).toEqual(vectors.firstEntries)
  for (const [size, root] of Object.entries(vectors.roots)) {
    expect(Buffer.from(treeOf(entries.slice(0, Number(size))).root()).toString('base64')).toBe(root)
  }
  const { checkpoint, publicKey, inclusion } = vectors
  const { option, nonce } = votes[inclusion.index] as Vote
  const proven = await verifyReceipt({ ...inclusion, nonce, checkpoint }, option, publicKey)
  expect(Buffer.from(proven?.root ?? []).toString('base64')).toBe(vectors.roots[257])
})

test('each entry of a tile is decoded by itself, also beside bytes that are no text', () => {
  const tileOf = (entries: readonly Uint8Array[]) =>
    Buffer.concat(entries.map((entry) => Buffer.concat([Uint8Array.of(entry.length >> 8, entry.length & 255), entry])))
  const each = ['plain', 'ü€😀', '', 'a'.repeat(300)].map((text) => Buffer.from(text))
  const broken = ['c3', '80', 'e282', 'ff00', 'efbbbf41'].map((bytes) => Buffer.from(bytes, 'hex'))
  for (let i = 0; i < 2_000; i++) {
    const tile = Array.from({ length: 1 + (i % 4) }, (_, at) => [...each, ...broken][(7 * i + 5 * at) % 9] as Buffer)
    if (i % 3 === 0) tile.push(randomBytes(1 + (i % 5)))
    expect(entriesIn(tileOf(tile))).toEqual(tile.map((entry) => new TextDecoder().decode(entry)))
  }
})

test('tiles are numbered in groups of three digits', () => {
  expect([0, 7, 255, 999, 1_000, 3_906, 1_234_067].map(numbered)).toEqual([
    '000',
    '007',
    '255',
    '999',
    'x001/000',
    'x003/906',
    'x001/x234/067',
  ])
})

describe('a checkpoint', () => {
  const log = new ReferenceLog({ votes: randomVotes(5) })

  test('is read once its signature holds', async () => {
    const { origin, size, root } = await openCheckpoint(log.sign(), log.publicKey)
    expect([origin, size, hex(root)]).toEqual([log.origin, 5, hex(treeHash(log.leaves()))])
  })

  test('may have further lines and further signatures', async () => {
    const note = `${log.sign()}— witness.example ${randomBytes(68).toString('base64')}\n`
    expect((await openCheckpoint(note, log.publicKey)).size).toBe(5)
  })

  test.each([
    ['another size', (note: string) => note.replace('\n5\n', '\n6\n'), 'SIGNATURE_INVALID'],
    [
      'another root',
      (note: string) => note.replace(/\n[\w+/]{43}=/, `\n${randomBytes(32).toString('base64')}`),
      'SIGNATURE_INVALID',
    ],
    ['no signature', (note: string) => note.slice(0, note.indexOf('—')), 'SIGNATURE_INVALID'],
    ['a size with a sign', (note: string) => note.replace('\n5\n', '\n+5\n'), 'MALFORMED'],
    ['a size beyond every log', (note: string) => note.replace('\n5\n', '\n999999999\n'), 'MALFORMED'],
    ['no empty line', (note: string) => note.replace('\n\n', '\n'), 'MALFORMED'],
    ['a page of HTML', () => '<!doctype html><p>Login</p>\n\n', 'MALFORMED'],
    ['too many characters', (note: string) => note + '— x AAAA\n'.repeat(2_000), 'MALFORMED'],
  ])('with %s is refused', async (_, change, code) => {
    expect(await codeOf(openCheckpoint(change(log.sign()), log.publicKey))).toBe(code)
  })

  test('by another key, or by a key whose name or id is another, is refused', async () => {
    const other = new ReferenceLog({ votes: randomVotes(5) })
    expect(await codeOf(openCheckpoint(log.sign(), other.publicKey))).toBe('SIGNATURE_INVALID')
    const [, name = '', id = '', key = ''] = /^(.*?)\+(.{8})\+(.*)$/.exec(log.publicKey) ?? []
    expect(await codeOf(openCheckpoint(log.sign(), `${name}+00000000+${key}`))).toBe('SIGNATURE_INVALID')
    expect(await codeOf(openCheckpoint(log.sign(), `other.example+${id}+${key}`))).toBe('SIGNATURE_INVALID')
    expect(await codeOf(openCheckpoint(log.sign(), 'no key'))).toBe('MALFORMED')
  })
})

describe.each(ways)('by %s', (way, check) => {
  const votes = randomVotes(700)
  const logOf = (given: readonly Vote[] = votes) => new ReferenceLog({ votes: [...given] })
  const seenAt = async (log: ReferenceLog, size: number): Promise<Checkpoint> =>
    openCheckpoint(log.sign(size), log.publicKey)

  test.each([0, 1, 255, 256, 257, 700])('a log of %i votes holds, and is counted', async (size) => {
    const log = logOf(votes.slice(0, size))
    const verdict = await check(log)
    const [optionA, optionB] = log.tallies()
    expect(verdict).toMatchObject({ isSound: true, faults: [], count: { optionA, optionB }, ownIndex: null })
  })

  test('holds for those who saw it earlier, and finds their vote', async () => {
    const log = logOf()
    const own = votes[412] as Vote
    const seen = await Promise.all([0, 1, 256, 300, 700].map((size) => seenAt(log, size)))
    const verdict = await check(log, { seen, ownEntry: entryOf(own.option, own.nonce) })
    expect(verdict).toMatchObject({ isSound: true, ownIndex: 412, restarts: [] })
  })

  const tampered: readonly [string, (entries: string[]) => string[]][] = [
    [
      'changed',
      (entries) =>
        entries.with(
          300,
          (entries[300] as string).replace(/ ([AB]) /, (_, option) => (option === 'A' ? ' B ' : ' A ')),
        ),
    ],
    ['removed', (entries) => entries.toSpliced(300, 1)],
    ['swapped', (entries) => entries.with(300, entries[301] as string).with(301, entries[300] as string)],
    ['inserted', (entries) => entries.toSpliced(300, 0, entryOfVote(randomVotes(1)[0] as Vote))],
    ['replaced by a text', (entries) => entries.with(300, 'tossup-vote/1 C something')],
    [
      'given the commitment of another',
      (entries) => entries.with(300, (entries[301] as string).replace(/ [AB] /, ` ${(entries[300] as string)[14]} `)),
    ],
  ]
  test.each(tampered)('one entry %s is found, and where', async (_, change) => {
    const log = logOf()
    log.served.entries = change(log.entries)
    const verdict = await check(log)
    expect(codesOf(verdict)).toEqual(['ENTRY_ALTERED'])
    expect(verdict.isSound).toBe(false)
    const [fault] = verdict.faults
    if (way === 'service') {
      expect(fault?.between?.[0]).toBeLessThanOrEqual(301)
      expect(fault?.between?.[1]).toBeGreaterThanOrEqual(301)
      expect(fault?.between?.[0]).toBeGreaterThanOrEqual(257)
    }
  })

  test('an entry changed and signed again is found by those who saw it before', async () => {
    const log = logOf()
    const seen = await seenAt(log, 500)
    log.entries = log.entries.with(300, entryOfVote(randomVotes(1)[0] as Vote))
    const verdict = await check(log, { seen: [seen] })
    expect(codesOf(verdict)).toEqual(['NOT_EXTENDED'])
    expect(verdict.count).not.toBeNull()
  })

  test('a checkpoint that is older than one that was seen is found', async () => {
    const log = logOf()
    const seen = await seenAt(log, 700)
    log.entries = log.entries.slice(0, 600)
    expect(codesOf(await check(log, { seen: [seen] }))).toEqual(['NOT_EXTENDED'])
  })

  test('another key is found', async () => {
    const log = logOf()
    log.served.publicKey = new ReferenceLog({ votes: [...votes] }).publicKey
    expect(codesOf(await check(log))).toEqual(['SIGNATURE_INVALID'])
    delete log.served.publicKey
    const pinned = new ReferenceLog({ votes: [...votes] }).publicKey
    expect(codesOf(await check(log, { publicKey: pinned }))).toEqual(['SIGNATURE_INVALID'])
  })

  test('a vote that is not in it is found, and so is one for the other option', async () => {
    const log = logOf()
    const [own = { option: 'A', nonce: '' }] = votes
    const other = own.option === 'A' ? 'B' : 'A'
    expect(codesOf(await check(log, { ownEntry: entryOf(other, own.nonce) }))).toEqual(['VOTE_MISSING'])
  })

  test('a told restart keeps what was seen, or is told; one that is not told is found', async () => {
    const before = new ReferenceLog({ votes: [...votes], generation: 'before' })
    const seen = await seenAt(before, 600)
    const log = logOf()
    expect(codesOf(await check(log, { seen: [seen] }))).toEqual(['NOT_EXTENDED'])
    log.restarts = [{ origin: before.origin, size: 650, at: '2026-01-31T12:00:00.000Z' }]
    expect(await check(log, { seen: [seen] })).toMatchObject({ isSound: true, restarts: log.restarts })
    log.entries = log.entries.toSpliced(10, 1)
    expect(codesOf(await check(log, { seen: [seen] }))).toEqual(['NOT_EXTENDED'])
  })
})

describe('a service', () => {
  const votes = randomVotes(700)
  const log = () => new ReferenceLog({ votes })

  test('whose tally was altered is found, also where its sum is the same', async () => {
    const [a, b] = log().tallies()
    for (const [tallies, code] of [
      [[a + 1, b], 'LOG_BEHIND'],
      [[a - 1, b], 'COUNT_DIFFERS'],
      [[a - 1, b + 1], 'COUNT_DIFFERS'],
    ] as const) {
      const altered = log()
      altered.served.tallies = [...tallies]
      expect(codesOf(await verifyLog(await openedBy(altered)))).toEqual([code])
    }
  })

  test('that counts votes while it is read is compared at the vote of its tally', async () => {
    const early = log()
    early.served.tallies = new ReferenceLog({ votes: votes.slice(0, 400) }).tallies()
    expect(await verifyLog(await openedBy(early))).toMatchObject({ isSound: true })
    // The next vote was for the other option.
    early.served.tallies[1]++
    expect(codesOf(await verifyLog(await openedBy(early)))).toEqual(['COUNT_DIFFERS'])
  })

  test('that lacks a tile, of entries or at the end, is found', async () => {
    for (const isWithout of [/entries\/001$/, /entries\/002/, /checkpoint$/]) {
      const without = log()
      without.served.isWithout = isWithout
      const checked = openedBy(without).then((source) => verifyLog(source))
      const codes = await checked.then(codesOf, (error: LogError) => [error.code])
      expect(codes).toEqual(['TILE_MISSING'])
    }
  })

  test('that has grown has the complete tile in place of the partial one', async () => {
    const grown = log()
    grown.served.checkpoint = grown.sign(600)
    grown.served.tallies = new ReferenceLog({ votes: votes.slice(0, 600) }).tallies()
    grown.entries = [...grown.entries, ...randomVotes(100).map(entryOfVote)]
    grown.served.isWithout = /entries\/002\.p/
    expect(await verifyLog(await openedBy(grown))).toMatchObject({ isSound: true })
  })

  test('under another name is asked under its own: no log leads elsewhere', async () => {
    const other = new ReferenceLog({ votes, host: 'elsewhere.example' })
    const hosts = new Set<string>()
    const fetch = (async (address) => {
      hosts.add(new URL(String(address)).host)
      return other.answer(String(address))
    }) as typeof globalThis.fetch
    const source = await openLog('https://polls.example.com', 'Xk3_pQ9vZ2Lm', { fetch })
    expect(await verifyLog(source)).toMatchObject({ isSound: true })
    expect([...hosts]).toEqual(['polls.example.com'])
  })

  test('that is none is refused', async () => {
    const page = (async () => new Response('<!doctype html>')) as unknown as typeof fetch
    expect(await codeOf(openLog('https://polls.example.com', 'x', { fetch: page }))).toBe('MALFORMED')
    const denied = (async () => new Response('', { status: 401 })) as unknown as typeof fetch
    expect(await codeOf(openLog('https://polls.example.com', 'x', { fetch: denied }))).toBe('UNREACHABLE')
  })

  test('that sends without end is cut off', async () => {
    let sent = 0
    const body = () =>
      new ReadableStream({
        pull(stream) {
          sent++
          stream.enqueue(new Uint8Array(65_536))
        },
      })
    const endless = (async () => new Response(body())) as unknown as typeof fetch
    expect(await codeOf(openLog('https://polls.example.com', 'x', { fetch: endless }))).toBe('MALFORMED')
    expect(sent).toBeLessThan(20)
  })

  test('is left when its caller ends the work', async () => {
    const ending = new AbortController()
    const source = await openedBy(new ReferenceLog({ votes: randomVotes(60_000) }))
    const checked = verifyLog(source, { signal: ending.signal, onProgress: () => ending.abort(new Error('enough')) })
    expect(await checked.catch((error: Error) => error.message)).toBe('enough')
  })
})

describe('a bundle', () => {
  test('that is none is refused', () => {
    const head = '{"format":"tossup-log-bundle/1","checkpoint":"",'
    const texts = [
      '',
      'null',
      '[]',
      '{}',
      '"text"',
      '{"format":"tossup-log-bundle/2"}',
      `${head}"entries":{}}`,
      `${head}"entries":[],"origin":1}`,
    ]
    for (const text of [...texts, '['.repeat(100_000)]) expect(() => readBundle(text)).toThrow(LogError)
  })

  test('with foreign values in place of entries does not hold', async () => {
    const log = new ReferenceLog({ votes: randomVotes(3) })
    const bundle = JSON.parse(log.bundle())
    for (const value of [null, 7, {}, ['x'], 'x'.repeat(1_000_000)]) {
      const verdict = await verifyLog(readBundle(JSON.stringify({ ...bundle, entries: bundle.entries.with(1, value) })))
      expect(codesOf(verdict)).toEqual(['ENTRY_ALTERED'])
    }
  })
})

describe('a receipt', () => {
  const votes = randomVotes(300)
  const log = new ReferenceLog({ votes })

  test.each([0, 1, 255, 256, 299])('of vote %i is proven by its checkpoint', async (index) => {
    const vote = votes[index] as Vote
    const { size } = (await verifyReceipt(log.receipt(vote), vote.option, log.publicKey)) ?? {}
    expect(size).toBe(300)
  })

  test('that no checkpoint holds yet is null, and one with another index, option or proof does not hold', async () => {
    const vote = votes[7] as Vote
    const receipt = log.receipt(vote)
    const { option } = vote
    expect(
      await verifyReceipt({ ...receipt, index: null, proof: null, checkpoint: null }, option, log.publicKey),
    ).toBeNull()
    const wrong = [
      verifyReceipt({ ...receipt, index: 8 }, option, log.publicKey),
      verifyReceipt({ ...receipt, index: -1 }, option, log.publicKey),
      verifyReceipt({ ...receipt, index: 300 }, option, log.publicKey),
      verifyReceipt(receipt, option === 'A' ? 'B' : 'A', log.publicKey),
      verifyReceipt({ ...receipt, nonce: 'short' }, option, log.publicKey),
      verifyReceipt({ ...receipt, proof: receipt.proof.slice(1) }, option, log.publicKey),
      verifyReceipt({ ...receipt, proof: [...receipt.proof, 'x'] }, option, log.publicKey),
    ]
    expect(await Promise.all(wrong.map(codeOf))).toEqual(wrong.map(() => 'VOTE_MISSING'))
  })

  test('an entry is made of option and nonce, and of no other text', () => {
    const vote = votes[0] as Vote
    expect(entryOf(vote.option, vote.nonce)).toBe(entryOfVote(vote))
    expect(entryOf('A', 'no nonce')).toBeNull()
  })
})
