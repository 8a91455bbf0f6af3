import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { auditStored, noFindings } from '../../server/test/crash/audit.ts'
import { Witness } from '../../server/test/crash/witness.ts'
import { deadlocksIn } from '../../server/test/deadlocks.ts'
import { engines } from '../../server/test/engines.ts'
import { createDatabase, type OwnDatabase } from '../../server/test/own-database.ts'
import { Receiver } from '../../server/test/receiver.ts'
import { startTestService, type TestBrand, type TestService, WIDE_POOL } from '../../server/test/service.ts'
import { Chaos, disturbed } from '../../server/test/simulation/chaos.ts'
import { contradictions, KnownPeople, PEOPLE_ACTIONS, type PeopleScene } from '../../server/test/simulation/people.ts'
import { ACTIONS, KnownTokens, MadePolls, newIds, pick, type Scene } from '../../server/test/simulation/world.ts'
import { createWebhook } from '../../server/test/webhooks.ts'

setDefaultTimeout(900_000)

const FIRST_SEED = Number(process.env['SIMULATION_SEED'] ?? 1)
const SEEDS = Number(process.env['SIMULATION_SEEDS'] ?? 500)
/** A round trip for each statement makes a seed four times as long there. */
const SEEDS_OF = { sqlite: SEEDS, postgres: Math.ceil(SEEDS / 4) }
const CLIENTS = 6
const ACTIONS_EACH = 5
const DEVICES = 4
/** One action in this many is of a person who signs in, or of an owner who changes members. */
const PEOPLE_ONE_IN = 3

describe.each([...engines])('%s', (engine) => {
  const chaos = new Chaos()
  let database: OwnDatabase | null
  let service: TestService
  let receiver: Receiver
  let brand: TestBrand
  beforeAll(async () => {
    database = engine === 'postgres' ? await createDatabase() : null
    service = await startTestService(engine, {
      ...(database ? { database } : {}),
      settings: { ...WIDE_POOL, WEBHOOK_ALLOW_PRIVATE: 'true' },
      // At once: the clock of a simulation does not wait for a retry.
      delivery: { delaysMs: Array.from({ length: 10 }, () => 0), tryAgainMs: 1 },
      jobs: 'by hand',
      disturb: (plain) => disturbed(plain, chaos),
    })
    receiver = new Receiver()
    brand = await service.createBrand()
    await createWebhook(service, brand, { url: receiver.url, events: ['poll.voted'] })
  })
  afterAll(async () => {
    if (!database) await service.stop()
    await receiver.stop()
    await database?.drop()
  })

  async function newScene(seed: number): Promise<PeopleScene> {
    const { accessToken: token } = await service.exchange(brand)
    // Another family: a reused refresh token revokes its own.
    const { refreshToken } = await service.exchange(brand)
    const owner = { ...brand, token }
    const polls = [await service.createPoll(owner), await service.createPoll(owner)]
    return {
      service,
      chaos,
      address: `10.${(seed >> 16) & 255}.${(seed >> 8) & 255}.${seed & 255}`,
      brand: owner,
      polls: polls.map(({ slug }) => slug),
      devices: newIds(DEVICES),
      keys: newIds(2),
      witness: new Witness(),
      made: new MadePolls(),
      tokens: new KnownTokens(refreshToken),
      people: await KnownPeople.join(service, brand),
    }
  }

  async function play(scene: PeopleScene, seed: number): Promise<void> {
    chaos.begin(seed)
    const client = async () => {
      for (let i = 0; i < ACTIONS_EACH; i++) {
        await chaos.turns()
        const isOfPeople = chaos.below(PEOPLE_ONE_IN) === 0
        await pick(chaos, isOfPeople ? PEOPLE_ACTIONS : ACTIONS)(scene)
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    await service.service.ledger.drain()
    chaos.end()
  }

  /** The events of the stored votes, each with its own id. */
  async function missingEvents({ polls }: Scene): Promise<string[]> {
    await service.runDue()
    const votes = await service.db
      .selectFrom('votes')
      .innerJoin('polls', 'polls.key', 'votes.poll_key')
      .select(['polls.slug', 'votes.position'])
      .where('polls.slug', 'in', [...polls])
      .execute()
    const ids = new Map<string, Set<string>>(polls.map((slug) => [slug, new Set()]))
    for (const { id, payload } of receiver.received.splice(0)) {
      ids.get((payload.data as { poll: { slug: string } }).poll.slug)?.add(id)
    }
    return polls.flatMap((slug) => {
      const stored = votes.filter((vote) => vote.slug === slug).length
      const told = ids.get(slug)?.size ?? 0
      return stored === told ? [] : [`${slug}: ${told} events of ${stored} votes`]
    })
  }

  async function doubledPolls({ keys, made }: Scene): Promise<string[]> {
    const rows = await service.db
      .selectFrom('polls')
      .select(['title'])
      .where('brand_key', '=', brand.brandKey)
      .execute()
    return keys.flatMap((key) => {
      const stored = rows.filter(({ title }) => title.endsWith(key))
      const told = made.idsOf.get(key)?.size ?? 0
      const titles = made.titlesOf.get(key)?.size ?? 0
      return stored.length <= 1 && told <= stored.length && titles <= 1
        ? []
        : [`${key}: ${told} told, ${stored.length} stored`]
    })
  }

  /** A refresh token has one successor, however often it is presented. */
  const forkedTokens = ({ tokens }: Scene): string[] =>
    [...tokens.successorsOf.values()].flatMap((successors) =>
      successors.size === 1 ? [] : [`${successors.size} successors of one refresh token`],
    )

  test('failures between any two statements lose, double and contradict nothing that was acknowledged', async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS_OF[engine]; seed++) {
      const scene = await newScene(seed)
      await play(scene, seed)
      const votes = await auditStored(service.deps, { url: service.service.url, ...scene })
      const found = {
        seed,
        votes,
        events: await missingEvents(scene),
        polls: await doubledPolls(scene),
        tokens: forkedTokens(scene),
        people: await contradictions(scene),
      }
      // The seed is in the message: SIMULATION_SEED repeats it.
      expect(found).toEqual({ seed, votes: noFindings(), events: [], polls: [], tokens: [], people: [] })
    }
    expect(chaos.failures).toBeGreaterThan(SEEDS_OF[engine])
  })
  test.if(engine === 'postgres')('no two transactions wait for each other', async () => {
    await service.stop()
    expect(database && (await deadlocksIn(database.url))).toBe(0)
  })
})
