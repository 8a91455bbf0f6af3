import { readFile, writeFile } from 'node:fs/promises'

const FILE = new URL('RESULTS.md', import.meta.url)

const SECTIONS = [
  'workloads',
  'growth',
  'memory',
  'responses',
  'listeners',
  'uploads',
  'export',
  'backup',
  'webhooks',
  'cache',
  'stuffing',
  'pages',
  'summary',
  'console',
  'worst',
  'scale',
  'citus',
  'servers',
  'threads',
  'day',
  'torture',
  'webhook torture',
] as const
export type SectionName = (typeof SECTIONS)[number]

const TITLES: Record<SectionName, string> = {
  workloads: 'Speed',
  growth: 'Growth',
  memory: 'Memory',
  responses: 'Responses of a campaign',
  listeners: 'Listeners',
  uploads: 'Uploads',
  export: 'Voters of a poll as a file',
  backup: 'Votes while a backup is made',
  webhooks: 'Votes with a webhook',
  cache: 'More polls than are kept in memory',
  stuffing: 'Ballot stuffing',
  pages: 'Pages',
  summary: 'A brand at a glance',
  console: 'The console with 10,000 polls',
  worst: 'The worst anonymous requests',
  scale: 'What a vote costs the server and its database',
  citus: 'Votes on Citus',
  servers: 'Several servers on one PostgreSQL',
  threads: 'Requests on other threads, a prototype',
  day: 'A show, simulated and played',
  torture: 'Torture',
  'webhook torture': 'Torture of webhooks',
}

const HEAD = `# Results

Every figure here was printed by the command that stands above it. Each section is written by a full run of its
command and holds the machine and the date of that run.`

const mark = (name: SectionName) => `<!-- ${name} -->`

/** Replaces one section; the others stay as they are. */
export function withSection(text: string, name: SectionName, content: string): string {
  const kept = SECTIONS.map((section) => {
    if (section === name) return `${mark(section)}\n## ${TITLES[section]}\n\n${content.trim()}`
    return sectionOf(text, section)
  })
  return `${[HEAD, ...kept.filter((section) => section !== '')].join('\n\n')}\n`
}

export function sectionOf(text: string, name: SectionName): string {
  const start = text.indexOf(mark(name))
  if (start === -1) return ''
  const ends = SECTIONS.map((other) => text.indexOf(mark(other))).filter((at) => at > start)
  return text.slice(start, Math.min(...ends, text.length)).trim()
}

export async function writeSection(name: SectionName, content: string): Promise<void> {
  const before = await readFile(FILE, 'utf8').catch(() => '')
  await writeFile(FILE, withSection(before, name, content))
  process.stderr.write('written: bench/RESULTS.md\n')
}
