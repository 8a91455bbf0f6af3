import { randomUUID } from 'node:crypto'
import { type Role, SCOPES_OF_ROLE } from '../../src/base/roles.ts'
import { addMember, newLinkToken, OWN_PAGE, pageAfter, type TestMember } from '../people.ts'
import type { TestBrand, TestService } from '../service.ts'
import { expectOneOf, pick, type Scene, send } from './world.ts'

interface SignedIn {
  readonly member: TestMember
  /** The headers of the page with the session's cookie. */
  readonly page: Record<string, string>
}

interface Link {
  readonly member: TestMember
  readonly token: string
  uses: number
}

/** Facts about the people of a brand that the service has told the clients of a run. */
export class KnownPeople {
  readonly owner: TestMember
  readonly members: readonly TestMember[]
  readonly links: readonly Link[]
  readonly sessions: SignedIn[]
  readonly tokens: (SignedIn & { readonly token: string })[]
  readonly #ended = new Set<Record<string, string>>()
  readonly #removed = new Set<TestMember>()
  readonly #roles: Map<TestMember, Role | null>
  readonly #changing = new Map<TestMember, number>()

  private constructor(owner: TestMember, members: readonly TestMember[], links: readonly Link[]) {
    this.owner = owner
    this.members = members
    this.links = links
    this.sessions = members.map((member) => ({ member, page: member.page }))
    this.tokens = members.map((member) => ({ member, page: member.page, token: member.token }))
    this.#roles = new Map(members.map((member) => [member, 'editor']))
  }

  static async join(service: TestService, brand: TestBrand): Promise<KnownPeople> {
    const owner = await addMember(service, brand, 'owner')
    const members = [await addMember(service, brand, 'editor'), await addMember(service, brand, 'editor')]
    const links: Link[] = []
    for (const member of members) links.push({ member, token: await newLinkToken(service, member), uses: 0 })
    return new KnownPeople(owner, members, links)
  }

  get removed(): readonly TestMember[] {
    return [...this.#removed]
  }

  hearEnded(page: Record<string, string>): void {
    this.#ended.add(page)
  }

  hearRemoved(member: TestMember): void {
    this.#removed.add(member)
  }

  /** True once the service has acknowledged that this session or member may do nothing any more. */
  isOut({ member, page }: SignedIn): boolean {
    return this.#removed.has(member) || this.#ended.has(page)
  }

  /** The role that was acknowledged last; null if an answer was lost, or two changes were under way together. */
  roleOf(member: TestMember): Role | null {
    return this.#roles.get(member) ?? null
  }

  /** `change` returns whether it was acknowledged. */
  async changing(member: TestMember, role: Role, change: () => Promise<boolean>): Promise<void> {
    const others = this.#changing.get(member) ?? 0
    this.#changing.set(member, others + 1)
    this.#roles.set(member, null)
    const isHeard = await change()
    const left = (this.#changing.get(member) ?? 1) - 1
    // The order of overlapping changes is unknown.
    this.#changing.set(member, left > 0 || others > 0 ? left + OVERLAPPED : left)
    if (isHeard && left === 0 && others === 0) this.#roles.set(member, role)
  }
}

/** Once changes of a member have overlapped, their number never returns to 0. */
const OVERLAPPED = 1_000

export interface PeopleScene extends Scene {
  readonly people: KnownPeople
}

type PeopleAction = (scene: PeopleScene) => Promise<void>

const signIn: PeopleAction = async (scene) => {
  const { chaos, people } = scene
  const link = pick(chaos, people.links)
  const isOut = people.removed.includes(link.member)
  const answer = await send(scene, 'POST', 'auth/session', { headers: OWN_PAGE, json: { token: link.token } })
  expectOneOf(answer, isOut ? [401, 429, 503] : [200, 401, 429, 503])
  if (answer.status !== 200) return
  link.uses++
  people.sessions.push({ member: link.member, page: pageAfter(answer) })
}

const issueToken: PeopleAction = async (scene) => {
  const { chaos, people, brand } = scene
  const signedIn = pick(chaos, people.sessions)
  const isOut = people.isOut(signedIn)
  const sent = { headers: signedIn.page, json: { brandSlug: brand.slug } }
  const answer = await send(scene, 'POST', 'auth/session/token', sent)
  expectOneOf(answer, isOut ? [401, 503] : [200, 401, 404, 503])
  if (answer.status === 200) people.tokens.push({ ...signedIn, token: JSON.parse(answer.text).data.accessToken })
}

const readWithToken: PeopleAction = async (scene) => {
  const held = pick(scene.chaos, scene.people.tokens)
  const isOut = scene.people.isOut(held)
  const headers = { Authorization: `Bearer ${held.token}` }
  expectOneOf(await send(scene, 'GET', 'brands/me', { headers }), isOut ? [401, 503] : [200, 401, 503])
}

const signOut: PeopleAction = async (scene) => {
  const { page } = pick(scene.chaos, scene.people.sessions)
  const answer = await send(scene, 'DELETE', 'auth/session', { headers: page })
  expectOneOf(answer, [204, 401, 503])
  if (answer.status === 204) scene.people.hearEnded(page)
}

const ownersWrite = ({ people }: PeopleScene) => ({
  Authorization: `Bearer ${people.owner.token}`,
  'X-Service-Idempotency-Key': randomUUID(),
})

const changeRole: PeopleAction = async (scene) => {
  const { chaos, people } = scene
  const member = pick(chaos, people.members)
  const role = pick(chaos, ['editor', 'analyst'] as const)
  await people.changing(member, role, async () => {
    const sent = { headers: ownersWrite(scene), json: { role } }
    const answer = await send(scene, 'PATCH', `brands/me/members/${member.memberId}`, sent)
    expectOneOf(answer, [200, 404, 503])
    return answer.status === 200
  })
}

const remove: PeopleAction = async (scene) => {
  const member = pick(scene.chaos, scene.people.members)
  const path = `brands/me/members/${member.memberId}`
  const answer = await send(scene, 'DELETE', path, { headers: ownersWrite(scene) })
  expectOneOf(answer, [204, 404, 503])
  if (answer.status === 204) scene.people.hearRemoved(member)
}

/** Removal least, because little is left to do after it. */
export const PEOPLE_ACTIONS: readonly PeopleAction[] = [
  signIn,
  issueToken,
  issueToken,
  readWithToken,
  readWithToken,
  changeRole,
  changeRole,
  signOut,
  remove,
]

/** Contradictions between the stored state and the acknowledged facts, one line each. Call it when no request is in flight. */
export async function contradictions(scene: PeopleScene): Promise<string[]> {
  const { people, service } = scene
  const found: string[] = people.links.flatMap(({ uses }) => (uses > 1 ? [`one link signed in ${uses} times`] : []))
  for (const held of people.tokens) {
    const headers = { Authorization: `Bearer ${held.token}` }
    const { status } = await send(scene, 'GET', 'brands/me/polls', { headers })
    const role = people.roleOf(held.member)
    if (people.isOut(held) && status !== 401) found.push(`a dead token is ${status}`)
    if (status === 200 && role && !SCOPES_OF_ROLE[role].includes('manage')) found.push(`an ${role} lists polls`)
    if (status === 403 && role && SCOPES_OF_ROLE[role].includes('manage')) found.push(`an ${role} lists no polls`)
  }
  for (const signedIn of people.sessions.filter((each) => people.isOut(each))) {
    const { status } = await send(scene, 'GET', 'auth/session', { headers: signedIn.page })
    if (status !== 401) found.push(`an ended session is ${status}`)
  }
  const ids = [...people.removed.map(({ memberId }) => memberId), people.owner.memberId]
  const stored = await service.db.selectFrom('people').select('id').where('id', 'in', ids).execute()
  // The owner alone: nobody can remove the only owner, and who was removed from their last brand is forgotten.
  if (String(stored.map(({ id }) => id)) !== people.owner.memberId)
    found.push('people who were removed are still stored')
  return found
}
