import { afterAll, afterEach, describe, expect, spyOn, test } from 'bun:test'
import { findProgram } from '../../test/programs.ts'
import { settings } from '../config/settings.ts'
import { serveCommand } from './commands/serve.ts'
import { runCommandLine } from './run.ts'

const printed = spyOn(console, 'log').mockImplementation(() => undefined)
const complained = spyOn(console, 'error').mockImplementation(() => undefined)

afterEach(() => {
  printed.mockClear()
  complained.mockClear()
})
afterAll(() => {
  printed.mockRestore()
  complained.mockRestore()
})

/** The exit code and output of a command that needs no database. */
async function run(...words: string[]) {
  printed.mockClear()
  complained.mockClear()
  const code = await runCommandLine(words, serveCommand)
  const text = ({ mock }: typeof printed) => mock.calls.map(([line]) => `${line}\n`).join('')
  return { code, stdout: text(printed), stderr: text(complained) }
}

const USAGES: [string[], RegExp][] = [
  [['brand', 'crate'], /^Unknown command "brand crate"\. Did you mean `tossup brand create`\?\n$/],
  [['migrat'], /^Unknown command "migrat"\. Did you mean `tossup migrate`\?\n$/],
  [['branf', 'create'], /^Unknown command "branf"\. Did you mean `tossup brand create`\?\n$/],
  [['frobnicate'], /^Unknown command "frobnicate"\. Run `tossup help` for the list of commands\.\n$/],
  [['app'], /^After "app" comes one of: create, list, rotate, revoke\.\n$/],
  [['migrate', '--jsn'], /^Unknown option '--jsn'\. Usage: tossup migrate \[--distribute \[--yes\]\] \[--json\]\n$/],
  [['migrate', '-x'], /^Unknown option '-x'\. Usage: /],
  [['migrate', '--yes'], /^--yes belongs to --distribute\. Usage: /],
  [
    ['app', 'create', '--brand', '--scopes', 'view'],
    /^Option '--brand' argument is ambiguous\. .+ use '--brand=-XYZ'\. Usage: /,
  ],
  [['brand', 'create', '--name', 'A', '--slug'], /^Option '--slug <value>' argument missing\. Usage: /],
  [['brand', 'create', '--slug', 'a', '--slug', 'b'], /^--slug is given twice\. Usage: /],
  [['migrate', '--json=yes'], /^Option '--json' does not take an argument\. Usage: /],
  [['migrate', 'now'], /^Unexpected argument "now"\. Usage: /],
  [['app', 'revoke'], /^APP_ID_OR_KEY_ID is missing or empty\. Usage: tossup app revoke /],
]

test.each(USAGES)('wrong usage %j says what is right, and exits with 2', async (words, said) => {
  const { code, stdout, stderr } = await run(...words)
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(said)])
})

test('wrong usage with --json prints one object', async () => {
  const { code, stdout } = await run('brand', 'create', '--json')
  const message = expect.stringMatching(/^--slug is missing .*Usage: /)
  expect([code, JSON.parse(stdout)]).toEqual([2, { error: { code: 'USAGE', message, details: {}, requestId: null } }])
})

describe('help', () => {
  test('lists every command', async () => {
    const asked = await run('help')
    expect(asked.code).toBe(0)
    for (const words of ['serve', 'migrate', 'brand create', 'app create', 'app list', 'app revoke', 'category create'])
      expect(asked.stdout).toContain(`tossup ${words}`)
    expect(await run('--help')).toEqual(asked)
    expect(await run()).toEqual({ ...asked, code: 2 })
  })

  test('has one form after any word', async () => {
    const listed = (await run('help')).stdout.matchAll(/^ {2}tossup (\w+(?: \w+)?) {2}/gm)
    const commands = [...listed].map(([, words = '']) => words)
    const groups = [
      ...new Set(commands.filter((words) => words.includes(' ')).map((words) => words.split(' ')[0] ?? '')),
    ]
    expect(groups).toContain('brand')
    for (const words of [...commands, ...groups]) {
      const { code, stdout, stderr } = await run(...words.split(' '), '--help')
      expect([words, code, stderr]).toEqual([words, 0, ''])
      expect(stdout).toStartWith(`Usage: tossup ${words}`)
      expect(stdout).toContain(groups.includes(words) ? `  tossup ${words} ` : 'Options:\n')
      // An option without a description.
      expect(stdout).not.toMatch(/^ +--\S+(?: \S+)?$/m)
    }
  })

  test('comes before what is wrong, and not after --', async () => {
    expect((await run('help', 'brand', 'create')).stdout).toContain('--slug SLUG')
    expect((await run('brand', 'create', '--colour', '--help')).code).toBe(0)
    expect((await run('migrate', '--', '--help')).code).toBe(2)
    expect((await run('brnd', '--help')).code).toBe(2)
  })
})

test('version prints the version, and so does --version', async () => {
  const { stdout } = await run('version', '--json')
  const { version } = JSON.parse(stdout) as { version: string }
  expect(version).toMatch(/^\d+\.\d+\.\d+/)
  expect((await run('--version')).stdout).toStartWith(`tossup ${version} (`)
})

test('version names the commit of a checkout, or none where git does not know it', async () => {
  const git = findProgram('git')
    ? Bun.spawnSync(['git', 'rev-parse', '--short=12', 'HEAD'], { cwd: import.meta.dir })
    : null
  const { stdout } = await run('version', '--json')
  expect(JSON.parse(stdout).commit).toBe(git?.success ? git.stdout.toString().trim() : null)
})

test('help settings lists every setting', async () => {
  const { code, stdout } = await run('help', 'settings')
  expect(code).toBe(0)
  for (const { name } of Object.values(settings)) expect(stdout).toMatch(new RegExp(`^${name} \\(default: `, 'm'))
  expect(stdout).not.toMatch(/`|\]\(/)
})
