import { readFileSync } from 'node:fs'
import { keepFile } from '../../src/features/uploads/files.ts'
import type { EmbedSite } from '../embed-site.ts'
import { paint, webpOf } from '../pictures.ts'
import type { TestBrand } from '../service.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR
const GERMAN = 'Donaudampfschifffahrtsgesellschaftskapitän'
const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'

const THEMES = {
  plain: {},
  hidden: { labelPlacement: 'HIDDEN' },
  host: { colorScheme: 'HOST', fontStack: 'INHERIT' },
  overlay: { labelPlacement: 'OVERLAY', labelAlign: 'CENTER' },
  yellow: { accent: '#facc15' },
  // For polls that would be strange neighbours of the others.
  world: {},
  midnight: { accent: '#f472b6', background: '#111827', foreground: '#f9fafb', colorScheme: 'DARK', radius: 'LG' },
  css: {
    accent: '#0f766e',
    customCss:
      '.poll { border: 3px dashed #0f766e } .title { font-style: italic; text-align: center } .option { border-radius: 0 } .bar { color: #99f6e4 }',
  },
} as const

type Drawing = 'bottle' | 'person' | 'panorama' | 'coffee' | 'tea' | 'sea' | 'mountains'
type Side = readonly [label: string, picture?: Drawing, placing?: { fit?: 'contain'; focusX?: number; focusY?: number }]

interface Scene {
  readonly title: string
  readonly sides: readonly [Side, Side]
  readonly votes?: readonly [number, number]
  readonly fields?: Record<string, unknown>
  readonly theme?: keyof typeof THEMES
  readonly isClosed?: boolean
  /** Takes votes by code alone. */
  readonly isByCode?: boolean
}

const friday: Pick<Scene, 'title' | 'sides'> = { title: 'Pizza or sushi on Friday?', sides: [['Pizza'], ['Sushi']] }
const holiday: Pick<Scene, 'title' | 'sides'> = {
  title: 'Mountains or sea?',
  sides: [
    ['Mountains', 'mountains'],
    ['Sea', 'sea'],
  ],
}
const bottles: Pick<Scene, 'title' | 'sides'> = {
  title: 'Still or sparkling?',
  sides: [
    ['Still', 'bottle', { fit: 'contain' }],
    ['Sparkling', 'bottle'],
  ],
}
const emoji: Pick<Scene, 'title' | 'sides'> = { title: 'Your weekend?', sides: [['🏔️'], ['🏖️']] }
const inDays = (days: number) => () => new Date(Date.now() + days * DAY).toISOString()

/** The polls, by the names that `shots.ts` uses. A field that is a function is called when its poll is created. */
const SCENES = {
  words: { ...friday, votes: [5, 4] },
  behind: { ...friday, votes: [21, 8] },
  empty: friday,
  closing: { ...friday, votes: [5, 4], fields: { closesAt: inDays(2.5 / 24) } },
  scheduled: { ...friday, fields: { opensAt: () => '2099-06-01T09:00:00.000Z' } },
  scheduledPictures: { ...holiday, fields: { opensAt: inDays(3) } },
  countdown: { ...friday, fields: { opensAt: inDays(2.9 / 24) } },
  before: { ...friday, votes: [5, 4], fields: { resultsBeforeVote: true } },
  byCode: { ...friday, isByCode: true },
  onlyOne: { ...friday, votes: [0, 6] },
  tie: { ...friday, votes: [6, 7] },
  oneApart: { ...friday, votes: [7, 7] },
  few: { ...friday, votes: [2, 38] },
  most: { ...friday, votes: [40, 2] },
  round: { ...friday, votes: [61, 38] },
  bound: { ...friday, votes: [0, 1_203] },
  afterClose: { title: 'Who should win?', sides: [['Red'], ['Blue']], fields: { resultsVisibility: 'after_close' } },
  never: { title: 'Who should win?', sides: [['Red'], ['Blue']], fields: { resultsVisibility: 'never' } },
  closedWords: { ...friday, votes: [9, 16], isClosed: true },
  closedTie: { ...friday, votes: [8, 8], isClosed: true },
  closedTiePictures: { ...holiday, votes: [8, 8], isClosed: true },
  closedEmpty: { ...friday, isClosed: true },
  closedHidden: { ...friday, votes: [3, 2], isClosed: true, fields: { resultsVisibility: 'never' } },
  onePicture: { title: 'Tea or coffee?', sides: [['Tea', 'tea'], ['Coffee']], votes: [4, 3] },
  transparent: { ...bottles, votes: [4, 3] },
  contain: {
    title: 'Which poster?',
    sides: [
      ['All of it', 'panorama', { fit: 'contain' }],
      ['All of it, upright', 'person', { fit: 'contain' }],
    ],
    votes: [4, 3],
  },
  focus: {
    title: 'Who should speak first?',
    sides: [
      ['The head in sight', 'person', { focusY: 0.05 }],
      ['The sun at the right', 'panorama', { focusX: 1 }],
    ],
    votes: [4, 3],
  },
  overlay: { ...holiday, votes: [14, 23], theme: 'overlay' },
  hidden: { ...holiday, votes: [14, 23], theme: 'hidden' },
  emoji: { ...emoji, theme: 'world', votes: [14, 23] },
  long: {
    theme: 'world',
    title: `${LONG}, or what it was called before?`,
    sides: [[LONG], ['אחרי ארוחת הצהריים']],
    votes: [3, 2],
  },
  german: {
    theme: 'world',
    title: `Wer fährt: der ${GERMAN} oder die Straßenbahnhaltestellenaufsicht?`,
    sides: [[GERMAN], ['Straßenbahnhaltestellenaufsicht']],
    votes: [12, 9],
  },
  arabic: { theme: 'world', title: 'الشاي أم القهوة في الصباح؟', sides: [['شاي'], ['قهوة']], votes: [12, 19] },
  hindi: { theme: 'world', title: 'सुबह चाय या कॉफ़ी?', sides: [['चाय'], ['कॉफ़ी']], votes: [12, 19] },
  japanese: {
    theme: 'world',
    title: '朝はお茶ですか、コーヒーですか?',
    sides: [['お茶'], ['コーヒー']],
    votes: [12, 19],
  },
  host: { ...friday, votes: [5, 4], theme: 'host' },
  yellow: { ...friday, votes: [5, 4], theme: 'yellow' },
  midnight: { ...friday, votes: [5, 4], theme: 'midnight' },
  css: { ...friday, votes: [5, 4], theme: 'css' },
} as const satisfies Record<string, Scene>

/** The name of a poll in `SCENES`, or of the brand without polls. */
export type SceneName = keyof typeof SCENES | 'emptyBrand'

const SKY = [125, 180, 230] as const
const inDisc = (x: number, y: number, [atX, atY, radius]: readonly [number, number, number]) =>
  Math.hypot(x - atX, y - atY) < radius

/** Drawings whose important part is not in the middle, or that have no ground. */
const DRAWN = {
  bottle: () =>
    paint({ width: 300, height: 600 }, (x, y) => {
      const isNeck = y > 40 && y < 220 && Math.abs(x - 150) < 28 + Math.max(0, y - 160) * 0.9
      const isBody = y >= 220 && y < 570 && Math.abs(x - 150) < 82
      if (y > 340 && y < 450 && isBody) return [250, 250, 245]
      return isNeck || isBody ? [22, 110, 84] : [0, 0, 0, 0]
    }),
  person: () =>
    paint({ width: 400, height: 800 }, (x, y) => {
      if (inDisc(x, y, [200, 130, 90])) return [240, 190, 150]
      return Math.hypot((x - 200) / 1.1, (y - 520) / 2.4) < 130 ? [190, 60, 70] : SKY
    }),
  panorama: () =>
    paint({ width: 1200, height: 400 }, (x, y) => {
      if (inDisc(x, y, [1080, 120, 80])) return [250, 205, 70]
      return y > 260 + 60 * Math.sin(x / 140) ? [60, 130, 80] : SKY
    }),
}

async function bytesOf(drawing: Drawing): Promise<Uint8Array> {
  if (drawing === 'bottle' || drawing === 'person' || drawing === 'panorama') return webpOf(DRAWN[drawing]())
  return readFileSync(new URL(`../../src/cli/demo/${drawing}.webp`, import.meta.url))
}

async function pictureOf(
  { service }: EmbedSite,
  { brandKey }: TestBrand,
  drawing: Drawing,
  slot: 'optionA' | 'optionB',
) {
  const bytes = await bytesOf(drawing)
  const { width, height } = await new Bun.Image(bytes).metadata()
  const key = await keepFile(service.db, service.deps, {
    brandKey,
    slot,
    contentType: 'image/webp',
    bytes,
    width,
    height,
  })
  return { imageUrl: `${service.deps.config.publicUrl}/files/${key}`, imageAlt: drawing }
}

async function makePoll(site: EmbedSite, brand: TestBrand, scene: Scene): Promise<string> {
  const optionOf = async ([label, drawing, placing]: Side, slot: 'optionA' | 'optionB') => ({
    label,
    ...(drawing && { ...(await pictureOf(site, brand, drawing, slot)), ...placing }),
  })
  const { title, sides, fields = {}, votes: [a, b] = [0, 0] } = scene
  const list = { token: brand.token, json: { name: title } }
  const made =
    scene.isByCode && (await site.service.write<{ codeListId: string }>('POST', 'brands/me/code-lists', list))
  const poll = await site.service.createPoll(brand, {
    title,
    ...(made && { codeListId: made.body.data.codeListId }),
    optionA: await optionOf(sides[0], 'optionA'),
    optionB: await optionOf(sides[1], 'optionB'),
    ...Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, typeof value === 'function' ? value() : value]),
    ),
  })
  const options = [...new Array(a).fill('A'), ...new Array(b).fill('B')]
  await Promise.all(options.map((option) => site.service.vote(poll.slug, option)))
  if (scene.isClosed) {
    const json = { closesAt: new Date(site.service.clock.now() - SECOND).toISOString() }
    await site.service.write('PATCH', `brands/me/polls/${poll.slug}`, { token: brand.token, json })
  }
  return poll.shortId
}

/** Creates the polls; returns what each is reached by. */
export async function makeScenes(site: EmbedSite): Promise<Record<SceneName, string>> {
  const brands: Partial<Record<keyof typeof THEMES, TestBrand>> = {}
  for (const [name, theme] of Object.entries(THEMES)) {
    const brand = await site.service.createBrand()
    const json = { name: 'Friday Club' }
    await site.service.write('PATCH', 'brands/me', { token: brand.token, json })
    await site.service.write('PATCH', 'brands/me/theme', { token: brand.token, json: theme })
    brands[name as keyof typeof THEMES] = brand
  }
  const scenes: Partial<Record<SceneName, string>> = {}
  for (const [name, scene] of Object.entries<Scene>(SCENES)) {
    const brand = brands[scene.theme ?? 'plain'] as TestBrand
    scenes[name as SceneName] = await makePoll(site, brand, scene)
  }
  const empty = await site.service.createBrand()
  await site.service.write('PATCH', 'brands/me', { token: empty.token, json: { name: 'Saturday Club' } })
  scenes.emptyBrand = empty.slug
  return scenes as Record<SceneName, string>
}
