import { expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { LANGS } from '../../embed/src/words.ts'

type Texts = { readonly [name: string]: string | Texts }

// The server's tests read what the console says, and import nothing of it.
const FOLDER = new URL('../../console/src/words/translations/', import.meta.url)

/** `texts` are those of the first load; the others are loaded with their pages. */
const PARTS = [
  'texts',
  'account',
  'campaigns',
  'codes',
  'forms',
  'listing',
  'results',
  'service',
  'templates',
  'webhooks',
]

/** By the path of each, such as `nav.polls`. */
const textsOf = (texts: Texts, path = ''): Map<string, string> =>
  new Map(
    Object.entries(texts).flatMap(([name, text]) =>
      typeof text === 'string' ? [[path + name, text] as const] : [...textsOf(text, `${path}${name}.`)],
    ),
  )

const placeholdersOf = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort()

async function translationOf(part: string, lang: string): Promise<Map<string, string>> {
  const { translation } = (await import(new URL(`${lang}/${part}.${lang}.ts`, FOLDER).href)) as { translation: Texts }
  return textsOf(translation)
}

const CASES = PARTS.flatMap((part) => LANGS.map((lang) => [part, lang] as const))

test('each language of the pages has its texts', async () => {
  const files = (await readdir(FOLDER, { recursive: true })).filter((name) => name.endsWith('.ts'))
  expect(files.sort()).toEqual(CASES.map(([part, lang]) => `${lang}/${part}.${lang}.ts`).sort())
})

test.each(CASES)('%s in %s say what the English texts say, with their values', async (part, lang) => {
  const english = await translationOf(part, 'en')
  const texts = await translationOf(part, lang)
  expect([...texts.keys()].filter((path) => !english.has(path))).toEqual([])
  for (const [path, text] of texts) {
    expect([path, text.trim() === text && text !== '']).toEqual([path, true])
    expect([path, placeholdersOf(text)]).toEqual([path, placeholdersOf(english.get(path) ?? '')])
  }
})

test.each(LANGS.filter((lang) => lang !== 'en'))('hardly a text in %s is the English one', async (lang) => {
  for (const part of PARTS) {
    const english = await translationOf(part, 'en')
    const sentences = [...(await translationOf(part, lang))].filter(([path]) => / .* /.test(english.get(path) ?? ''))
    expect(sentences.filter(([path, text]) => text === english.get(path))).toEqual([])
  }
})
