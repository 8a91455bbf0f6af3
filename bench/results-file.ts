import { readFile, writeFile } from 'node:fs/promises'

const FILE = new URL('RESULTS.md', import.meta.url)

const TITLES = {
  workloads: 'Speed',
  against: 'Compared with another commit',
  growth: 'Growth',
  memory: 'Memory',
  listeners: 'Listeners',
  pages: 'Pages',
  worst: 'The worst anonymous requests',
  torture: 'Torture',
}
export type SectionName = keyof typeof TITLES
const SECTIONS = Object.keys(TITLES) as SectionName[]

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

function sectionOf(text: string, name: SectionName): string {
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
