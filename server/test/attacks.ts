import { expect } from 'bun:test'
import { DAY } from '../src/base/clock.ts'
import type { Route } from '../src/http/route.ts'
import { dumpTables } from './dump.ts'
import type { EngineName } from './engines.ts'
import { codeIn, codeOf } from './error-forms.ts'
import { newNetwork } from './network.ts'
import { addMember } from './people.ts'
import { guardKind, type Sample, Scene } from './scene.ts'
import type { Ask, Reply } from './service.ts'

export interface Attack {
  readonly name: string
  readonly route: Route
  readonly sample: Sample
  /** Status and code, and where it matters the path of the reported field. */
  readonly expected: string
}

type Plan = (sample: Sample, route: Route) => readonly (readonly [name: string, sample: Sample, expected: string])[]

export const INVALID = '422 VALIDATION_ERROR'

const EXPECTED_HEADERS = ['x-request-id', 'cache-control', 'x-content-type-options']

/** Valid requests with one fault each, sent to a service that must refuse them as expected and store nothing. */
export class Attacks {
  readonly scene: Scene

  private constructor(scene: Scene) {
    this.scene = scene
  }

  static async open(engine: EngineName): Promise<Attacks> {
    // Jobs would remove what has expired while a test has set the clock ahead.
    const scene = await Scene.open(engine, { jobs: 'by hand' })
    // The use of a token of an agent is noted each minute, before its request is read.
    const { db, clock } = scene.service
    await db
      .updateTable('agent_grants')
      .set({ last_used_at: clock.now() + 365 * DAY })
      .execute()
    return new Attacks(scene)
  }

  async on(chosen: readonly Route[], plan: Plan): Promise<Attack[]> {
    const attacks: Attack[] = []
    for (const route of chosen) {
      const valid = await this.scene.valid(route)
      for (const [name, sample, expected] of plan(valid, route))
        attacks.push({ name, route, sample: await this.#fromAnotherPerson(route, valid, sample), expected })
    }
    return attacks
  }

  /** So that refusals of one do not use up a limit of its person for the next. Not if the session is what the attack changes. */
  async #fromAnotherPerson(route: Route, valid: Sample, { path, ask }: Sample): Promise<Sample> {
    const isOfPerson = guardKind(route) === 'session' && route.spec.limits !== undefined
    if (!isOfPerson || ask.headers?.['Cookie'] !== valid.ask.headers?.['Cookie']) return { path, ask }
    const { page } = await addMember(this.scene.service, this.scene.brand, 'owner')
    return { path, ask: { ...ask, headers: { ...ask.headers, ...page } } }
  }

  /** Sends them all, expects each refusal, and asserts that no row has changed. */
  async expectRefused(attacks: readonly Attack[], except: readonly string[] = []): Promise<void> {
    const { scene } = this
    expect(attacks).not.toBeEmpty()
    const before = await dumpTables(scene.service.db, { except })
    for (const { name, route, sample, expected } of attacks) {
      const reply = await scene.send(route, { ...sample, ask: fromAnotherNetwork(sample.ask) })
      for (const header of EXPECTED_HEADERS) expect([header, reply.headers.get(header)]).not.toContain(null)
      if (route.spec.refusal) {
        expectOtherForm({ name, route, sample, expected }, reply)
        continue
      }
      const fields = (reply.body.error?.details['fields'] ?? []) as { path: string; message: string }[]
      const names = [...new Set(fields.map(({ path }) => path))].join(',')
      const named = expected.split(' ').length > 2 ? ` ${names}` : ''
      const label = `${route.spec.name}, ${name}:`
      expect(`${label} ${reply.status} ${reply.body.error?.code}${named}`).toBe(`${label} ${expected}`)
      for (const { message } of fields)
        expect(`${label} ${message}`).toStartWith(`${label} ${VOICE.exec(message)?.[0]}`)
      const [only, ...others] = fields
      if (only?.path && others.length === 0) expect(reply.body.error.message).toBe(`${only.path}: ${only.message}`)
      expect(reply.body.error.requestId).toBe(reply.headers.get('x-request-id') ?? '')
    }
    expect(await dumpTables(scene.service.db, { except })).toEqual(before)
    expect(scene.service.logLines).toEqual([])
  }
}

/** In the form of another protocol, which names no field. */
function expectOtherForm({ name, route, expected }: Attack, { status, body }: Reply): void {
  const [wanted = '', code = ''] = expected.split(' ')
  const label = `${route.spec.name}, ${name}:`
  const named = codeIn(route, { status: Number(wanted), code })
  expect(`${label} ${status} ${codeOf(body)}`).toBe(`${label} ${wanted} ${named}`)
}

/** How every message about a field begins: with what the field must be. */
const VOICE = /^(Must |Required\.$|Unknown (field|query parameter)|The stylesheet |Line \d+, column \d+: )/

/** So that refusals of one do not use up a limit for the next. */
const fromAnotherNetwork = (ask: Ask): Ask => ({ ...ask, headers: { ...ask.headers, ...newNetwork() } })
