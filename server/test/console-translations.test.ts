import { expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { LANGS } from '../../embed/src/words.ts'

type Texts = { readonly [name: string]: string | Texts }

// The server's tests read what the console says, and import nothing of it.
const FOLDER = new URL('../../console/src/words/translations/', import.meta.url)

/** By the path of each, such as `nav.polls`. */
const textsOf = (texts: Texts, path = ''): Map<string, string> =>
  new Map(
    Object.entries(texts).flatMap(([name, text]) =>
      typeof text === 'string' ? [[path + name, text] as const] : [...textsOf(text, `${path}${name}.`)],
    ),
  )

const placeholdersOf = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort()

/** The words of the page of the operator are beside those of the first load. */
const OF_SERVICE = new URL('../../console/src/words/service/', import.meta.url)

async function serviceTextsOf(lang: string): Promise<Map<string, string>> {
  const { texts } = (await import(new URL(`service.${lang}.ts`, OF_SERVICE).href)) as { texts: Texts }
  return textsOf(texts)
}

async function translationOf(lang: string): Promise<Map<string, string>> {
  const { translation } = (await import(new URL(`texts.${lang}.ts`, FOLDER).href)) as { translation: Texts }
  return textsOf(translation)
}

const english = await translationOf('en')

test('each language of the pages has its texts', async () => {
  const files = (await readdir(FOLDER)).sort()
  expect(files).toEqual(LANGS.map((lang) => `texts.${lang}.ts`).sort())
})

test.each(LANGS.filter((lang) => lang !== 'en'))(
  'what %s says is known, not empty, and has the values of the English text',
  async (lang) => {
    const texts = await translationOf(lang)
    for (const [path, text] of texts) {
      expect([path, english.has(path), text.trim() === text && text !== '']).toEqual([path, true, true])
      expect([path, placeholdersOf(text)]).toEqual([path, placeholdersOf(english.get(path) ?? '')])
    }
    // A text that is missing is shown in English until it is translated: printed, so that it is seen.
    const missing = [...english.keys()].filter((path) => !texts.has(path))
    if (missing.length > 0) process.stdout.write(`console in ${lang}: in English are ${missing.join(', ')}\n`)
  },
)

test.each([...LANGS])('the page of the operator has all its texts in %s', async (lang) => {
  const [ours, theirs] = [await serviceTextsOf('en'), await serviceTextsOf(lang)]
  expect([...theirs.keys()]).toEqual([...ours.keys()])
  for (const [path, text] of theirs) {
    expect([path, text.trim() === text && text !== '']).toEqual([path, true])
    expect([path, placeholdersOf(text)]).toEqual([path, placeholdersOf(ours.get(path) ?? '')])
  }
})
