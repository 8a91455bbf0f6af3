import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = new URL('../..', import.meta.url).pathname
const FOLDERS = ['bench', 'console/src', 'embed', 'sdk', 'server']
const MARK = /^ *\/\/ spec: (.+)$/
const TITLE = /(?:\b(?:test|describe)(?:\.\w+)*\(|\)\()\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"),/

export const AUDIT_FILE = 'docs/spec-audit.md'

interface Claim {
  readonly sentence: string
  /** The line of the audit. */
  readonly test: string
}

/** The tests whose line above says `// spec: 2.1-3, 4-1`: the sentences of the specification that they prove. */
function claimsIn(path: string, text: string): Claim[] {
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    const sentences = MARK.exec(line)?.[1]
    if (sentences === undefined) return []
    const [, single, double] = TITLE.exec(lines.slice(index + 1).join('\n')) ?? []
    const title = (single ?? double ?? '').replaceAll(/\\(['"])/g, '$1')
    return sentences.split(', ').map((sentence) => ({ sentence, test: `  - \`${path}\`: ${title}` }))
  })
}

function claims(): Claim[] {
  const names = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  const tests = names.filter((name) => /\.(?:test|proof)\.tsx?$/.test(name) && !name.includes('node_modules'))
  return tests.sort().flatMap((path) => claimsIn(path, readFileSync(join(ROOT, path), 'utf8')))
}

/** The audit with the tests of each sentence below it. Sentences and how they are read are written by hand. */
export function specAudit(): string {
  const tests = Map.groupBy(claims(), ({ sentence }) => sentence)
  const text = readFileSync(join(ROOT, AUDIT_FILE), 'utf8')
  const withTests = text
    .split('\n')
    .filter((line) => !line.startsWith('  - `'))
    .flatMap((line) => {
      const sentence = /^- \*\*(\S+)\*\* /.exec(line)?.[1] ?? ''
      return [line, ...(tests.get(sentence) ?? []).map(({ test }) => test)]
    })
  return withTests.join('\n')
}
