import { cp, mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Instruction, readDockerfile, stagesOf, variablesOf } from './dockerfile.ts'

const ROOT = join(import.meta.dir, '../..')

/** The last stage of the Dockerfile as a folder, and what a container of it would run. */
export interface BuiltImage {
  /** The folder of every stage: those of the other stages are named in the Dockerfile. */
  readonly stages: Readonly<Record<string, string>>
  readonly root: string
  readonly variables: Readonly<Record<string, string>>
  readonly user: string
  readonly command: readonly string[]
}

/** Runs the steps of the Dockerfile by hand: each stage is a folder, in which this machine's programs run its commands. */
export async function buildImage(): Promise<BuiltImage> {
  const place = await mkdtemp(join(tmpdir(), 'tossup-image-'))
  const stages: Record<string, string> = {}
  let root = place
  const parsed = stagesOf(await readDockerfile(ROOT))
  for (const [index, stage] of parsed.entries()) {
    const name = / AS (\w+)$/.exec(stage[0]?.text ?? '')?.[1] ?? 'last'
    root = join(place, `${index}-${name}`)
    stages[name] = root
    await runStage(stage, root, stages)
  }
  const last = parsed.at(-1) ?? []
  const jsonOf = (word: string) => JSON.parse(last.find((each) => each.word === word)?.text ?? '[]') as string[]
  const user = last.find(({ word }) => word === 'USER')?.text ?? ''
  return { stages, root, variables: variablesOf(last), user, command: [...jsonOf('ENTRYPOINT'), ...jsonOf('CMD')] }
}

async function runStage(stage: readonly Instruction[], root: string, stages: Readonly<Record<string, string>>) {
  let folder = '/'
  await mkdir(root)
  for (const { word, text } of stage) {
    if (word === 'WORKDIR') {
      folder = text
      await mkdir(join(root, folder), { recursive: true })
    } else if (word === 'RUN') await run(['bash', '-c', text], join(root, folder))
    else if (word === 'COPY') await copy(text, { root, folder, stages })
  }
}

async function copy(text: string, to: { root: string; folder: string; stages: Readonly<Record<string, string>> }) {
  const words = text.split(/\s+/)
  const option = (name: string) => words.find((word) => word.startsWith(`--${name}=`))?.split('=')[1]
  const paths = words.filter((word) => !word.startsWith('--'))
  const target = join(to.root, paths.at(-1)?.startsWith('/') ? '' : to.folder, paths.at(-1) ?? '')
  const stage = option('from')
  for (const path of paths.slice(0, -1)) {
    if (stage === undefined) await copyContext(target)
    else {
      const into = target.endsWith('/') ? join(target, path.split('/').at(-1) ?? '') : target
      await mkdir(dirname(into), { recursive: true })
      await cp(join(to.stages[stage] ?? '', path), into, { recursive: true })
    }
  }
  const owner = option('chown')
  if (owner !== undefined && process.getuid?.() === 0) await run(['chown', '-R', owner, target], to.root)
}

/** The files of the repository that .dockerignore lets through. */
async function copyContext(target: string): Promise<void> {
  const ignore = (await Bun.file(join(ROOT, '.dockerignore')).text()).split('\n')
  const allowed = ignore.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  const tracked = await run(['git', 'ls-files', '--cached', '--others', '--exclude-standard'], ROOT)
  const isSent = (path: string) =>
    allowed.some((each) => path === each || path.startsWith(`${each}/`)) && !path.endsWith('.test.ts')
  for (const path of tracked.split('\n').filter(isSent)) {
    await mkdir(dirname(join(target, path)), { recursive: true })
    await cp(join(ROOT, path), join(target, path))
  }
}

/** Runs a command without the settings of this process, and returns its output. */
export async function run(command: readonly string[], cwd: string): Promise<string> {
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, npm_config_prefer_offline: 'true' }
  const child = Bun.spawn([...command], { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${stderr}${stdout}`)
  return stdout
}
