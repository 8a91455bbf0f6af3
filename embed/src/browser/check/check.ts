import {
  type Checkpoint,
  isExtension,
  LogError,
  type LogFault,
  type LogSource,
  openCheckpoint,
  openLog,
  proofOfExtension,
  readBundle,
  type Verdict,
  verifyLog,
} from '../../../../sdk/src/verify/index.ts'
import { ownEntry, type Remembered, recall, remember } from './check-memory.ts'

/** The page's data: see features/pages/check of the server. */
interface Given {
  readonly pollId: string
  readonly lang: string
  readonly labels: readonly [string, string]
  /** See check-words.ts of the server. */
  readonly words: Readonly<Record<string, string>>
}

type Step = 'signature' | 'seen' | 'recount' | 'own'
type State = 'sound' | 'bad' | 'unsure' | null

const MOST_FILE_BYTES = 400_000_000
const AGAIN_MS = 10_000
/** A vote is in a checkpoint within a minute. */
const MOST_AGAIN = 7

const find = (selector: string): HTMLElement => document.querySelector(selector) as HTMLElement
const given = JSON.parse(find('#given').textContent) as Given
const { pollId, lang } = given
const main = find('.check')
const verdictBox = find('.verdict')
const progress = find('progress') as HTMLProgressElement
const again = find('.again')
const download = find('.download') as HTMLAnchorElement
const evidence = find('.evidence') as HTMLAnchorElement
const number = new Intl.NumberFormat(lang)
const moment = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeStyle: 'short' })

/** Text for `textContent`: titles and labels are not ours. */
function say(name: string, values: Readonly<Record<string, string | number>> = {}): string {
  const shown = (value: string | number = '') => (typeof value === 'number' ? number.format(value) : value)
  return (given.words[name] ?? '').replace(/\{(\w+)\}/g, (_, key: string) => shown(values[key]))
}

const dateOf = (at: string): string => (Number.isNaN(Date.parse(at)) ? at : moment.format(Date.parse(at)))

function headline(state: State, title: string, text: string): void {
  verdictBox.hidden = false
  if (state) verdictBox.dataset['state'] = state
  else delete verdictBox.dataset['state']
  const [heading, line] = [find('.verdict h3'), find('.verdict p')]
  if (heading.textContent !== title) heading.textContent = title
  line.textContent = text
  // Read out once, at the end.
  find('.spoken').textContent = state ? `${title}. ${text}` : ''
}

function tell(step: Step, state: State, text: string): void {
  const line = find(`[data-step="${step}"]`)
  if (state) line.dataset['state'] = state
  else delete line.dataset['state']
  ;(line.querySelector('p') as HTMLElement).textContent = text
}

const STEP_OF: Partial<Record<LogFault, Step>> = {
  SIGNATURE_INVALID: 'signature',
  NOT_EXTENDED: 'seen',
  ENTRY_ALTERED: 'recount',
  TILE_MISSING: 'recount',
  COUNT_DIFFERS: 'recount',
  LOG_BEHIND: 'recount',
  VOTE_MISSING: 'own',
}

const WORDS_OF: Readonly<Record<LogFault, string>> = {
  SIGNATURE_INVALID: 'signatureBad',
  NOT_EXTENDED: 'seenBad',
  ENTRY_ALTERED: 'altered',
  TILE_MISSING: 'missing',
  COUNT_DIFFERS: 'differs',
  LOG_BEHIND: 'behind',
  VOTE_MISSING: 'ownBad',
  MALFORMED: 'malformed',
  UNSUPPORTED: 'unsupported',
  UNREACHABLE: 'unreachable',
}

interface Checked {
  readonly source: LogSource
  readonly verdict: Verdict
  readonly seen: Checkpoint | null
}

let run = new AbortController()

/** Checks the log of the service, or a file, and ends an earlier check. */
async function start(file: File | null): Promise<void> {
  run.abort()
  run = new AbortController()
  const { signal } = run
  for (const step of ['signature', 'seen', 'recount', 'own'] as const) tell(step, null, '')
  for (const part of [again, evidence, find('.told'), find('.steps')]) part.hidden = true
  progress.removeAttribute('value')
  headline(null, say('counting', { done: 0, all: '…' }), file ? say('file', { name: file.name }) : '')
  try {
    const checked = file ? await checkFile(file, signal) : await checkService(signal)
    if (checked) show(checked, file)
  } catch (error) {
    if (signal.aborted) return
    const { code } = error instanceof LogError ? error : new LogError('UNREACHABLE', String(error))
    headline('unsure', say('unsure'), `${say(WORDS_OF[code])} ${code === 'MALFORMED' ? '' : say('unsureText')}`)
  }
  again.hidden = false
}

const onProgress = (done: number, all: number): void => {
  progress.value = done / all
  headline(null, say('counting', { done, all }), find('.verdict p').textContent ?? '')
}

const onWait = (votes: number): void => headline(null, say('waiting', { votes }), '')

const open = (signal: AbortSignal): Promise<LogSource> => openLog(location.origin, pollId, { signal, onWait })

/** The checkpoint of an earlier visit; null if the storage holds none whose signature holds. */
async function recalled(known: Remembered | null): Promise<Checkpoint | null> {
  return known && openCheckpoint(known.note, known.publicKey).catch(() => null)
}

async function checkService(signal: AbortSignal, attempt = 1): Promise<Checked> {
  const known = recall(pollId)
  const seen = await recalled(known)
  const source = await open(signal)
  download.href = `${source.address}/bundle`
  download.hidden = false
  // The key of a log never changes.
  const publicKey = seen?.origin === source.origin ? known?.publicKey : undefined
  const verdict = await verifyLog(source, {
    publicKey,
    seen: seen ? [seen] : [],
    ownEntry: ownEntry(pollId),
    onProgress,
    signal,
  })
  if (verdict.faults.some(({ code }) => code === 'VOTE_MISSING') && attempt < MOST_AGAIN) {
    onWait(1)
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    signal.throwIfAborted()
    return checkService(signal, attempt + 1)
  }
  if (verdict.isSound && verdict.checkpoint) {
    remember(pollId, { note: verdict.checkpoint.note, publicKey: source.publicKey })
  }
  return { source, verdict, seen }
}

/** Null for the file of another log: its key is not known here. */
async function checkFile(file: File, signal: AbortSignal): Promise<Checked | null> {
  if (file.size > MOST_FILE_BYTES) throw new LogError('MALFORMED', 'The file is too large')
  const source = readBundle(await file.text())
  const known = recall(pollId)
  const earlier = await recalled(known)
  const live = await open(signal).catch((error: unknown) => {
    signal.throwIfAborted()
    if (earlier?.origin === source.origin) return null
    throw error
  })
  const { origin, publicKey } = live ?? { origin: earlier?.origin, publicKey: known?.publicKey }
  if (origin !== source.origin) {
    headline('unsure', say('unsure'), say('otherFile', { origin: source.origin }))
    return null
  }
  const present = live && (await openCheckpoint(live.checkpoint, live.publicKey).catch(() => null))
  const verdict = await verifyLog(source, {
    publicKey,
    seen: shorter([earlier, present], source),
    ownEntry: ownEntry(pollId),
    onProgress,
    signal,
  })
  // The file may be older than the vote.
  const faults = verdict.faults.filter(({ code }) => code !== 'VOTE_MISSING')
  const later =
    [present, earlier].find((each) => each && verdict.checkpoint && each.size > verdict.checkpoint.size) ?? null
  if (
    live &&
    present &&
    verdict.checkpoint &&
    present.size > verdict.checkpoint.size &&
    !(await isContinued(verdict.checkpoint, present, live))
  ) {
    faults.push(new LogError('NOT_EXTENDED', 'The log of the service does not extend this file'))
  }
  return { source, verdict: { ...verdict, faults, isSound: faults.length === 0 }, seen: present ?? earlier ?? later }
}

/** The checkpoints that the file must extend: those that are not later than it. */
function shorter(seen: readonly (Checkpoint | null)[], source: LogSource): Checkpoint[] {
  const size = Number(source.checkpoint.split('\n', 2)[1])
  return seen.filter((each): each is Checkpoint => each !== null && each.size <= size)
}

async function isContinued(before: Checkpoint, after: Checkpoint, { readTile }: LogSource): Promise<boolean> {
  if (!readTile) return false
  return isExtension({ before, after, proof: await proofOfExtension(before.size, after.size, readTile) })
}

/** A line of the page for each step, and one for all. */
function show(checked: Checked, file: File | null): void {
  const { source, verdict, seen } = checked
  const { faults } = verdict
  find('.steps').hidden = false
  const isSigned = verdict.checkpoint !== null
  tell('signature', isSigned ? 'sound' : null, say(signatureWords(isSigned, file)))
  if (verdict.count) tellCounted(checked, file)
  else for (const step of ['seen', 'recount', 'own'] as const) tell(step, null, say('notChecked'))
  for (const fault of faults) tellFault(fault, source, seen)
  tellRestarts(source)
  offerEvidence(faults, source, seen)
  const text = file ? say('file', { name: file.name }) : ''
  const unsure = faults.filter(({ code }) => !STEP_OF[code])
  if (verdict.isSound) headline('sound', say('sound'), `${text} ${say('soundText')}`)
  else if (unsure.length === 0) headline('bad', say('bad'), `${text} ${say('badText')}`)
  else headline('unsure', say('unsure'), `${text} ${unsure.map(({ code }) => say(WORDS_OF[code])).join(' ')}`)
}

function signatureWords(isSigned: boolean, file: File | null): string {
  if (!isSigned) return 'notChecked'
  return file ? 'signedFile' : 'signed'
}

/** The lines of a log whose entries are those that were signed. */
function tellCounted({ verdict, seen }: Checked, file: File | null): void {
  const { count, ownIndex, restarts } = verdict
  const [a, b] = given.labels
  const values = { a, b, votesA: count?.optionA ?? 0, votesB: count?.optionB ?? 0 }
  const [restart] = restarts
  const own = ownEntry(pollId)
  tell('recount', 'sound', say(file ? 'countedFile' : 'counted', values))
  if (!seen) tell('seen', null, say('seenFirst'))
  else if (restart) tell('seen', 'sound', say('restartSame', { date: dateOf(restart.at) }))
  else tell('seen', 'sound', say('seenSame'))
  if (ownIndex === null) tell('own', null, say(own ? 'notChecked' : 'ownNone'))
  else tell('own', 'sound', say('ownFound', { place: ownIndex + 1, label: own?.startsWith('tossup-vote/1 B') ? b : a }))
}

function tellFault({ code, between }: LogError, { restarts }: LogSource, seen: Checkpoint | null): void {
  const step = STEP_OF[code]
  if (!step) return
  const restart = code === 'NOT_EXTENDED' && restarts.find(({ origin }) => origin === seen?.origin)
  const words = restart ? say('restartBad', { date: dateOf(restart.at) }) : say(WORDS_OF[code])
  const place = between ? ` ${say('between', { first: between[0], last: between[1] })}` : ''
  tell(step, 'bad', words + place)
}

function tellRestarts({ restarts }: LogSource): void {
  const told = find('.told')
  told.hidden = restarts.length === 0
  told.textContent = restarts.map(({ at, size }) => say('restarted', { date: dateOf(at), votes: size })).join(' ')
}

/** Two signed checkpoints that contradict each other convince anybody. */
function offerEvidence(faults: readonly LogError[], source: LogSource, seen: Checkpoint | null): void {
  if (!seen || !faults.some(({ code }) => code === 'NOT_EXTENDED')) return
  const known = recall(pollId)
  const checkpoints = [
    { checkpoint: seen.note, publicKey: known?.publicKey ?? source.publicKey },
    { checkpoint: source.checkpoint, publicKey: source.publicKey },
  ]
  const text = JSON.stringify({ format: 'tossup-log-evidence/1', checkpoints }, null, 2)
  evidence.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  evidence.download = 'evidence.json'
  evidence.title = say('evidenceText')
  evidence.hidden = false
}

again.addEventListener('click', () => void start(null))
find('input').addEventListener('change', ({ target }) => {
  const input = target as HTMLInputElement
  const [file] = input.files ?? []
  if (file) void start(file)
  input.value = ''
})
for (const type of ['dragover', 'dragleave', 'drop'] as const) {
  addEventListener(type, (event) => {
    event.preventDefault()
    main.classList.toggle('is-over', type === 'dragover')
    const file = type === 'drop' && event.dataTransfer?.files[0]
    if (file) void start(file)
  })
}
void start(null)
