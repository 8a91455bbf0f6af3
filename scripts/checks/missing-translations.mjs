// Lists the texts of the console and of the server that a language lacks and shows in English.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../install.mjs'

const folder = join(root, 'console/src/words/translations')
const textsOf = async (part, lang) =>
  part === 'server'
    ? (await import(join(root, 'server/src/words', `${lang}.ts`)))[lang]
    : (await import(join(folder, lang, `${part}.${lang}.ts`))).translation
const isText = (text) => typeof text === 'string' || text === null || Array.isArray(text)
const pathsIn = (texts, path = '') =>
  Object.entries(texts).flatMap(([name, text]) => (isText(text) ? [path + name] : pathsIn(text, `${path}${name}.`)))

const langs = readdirSync(folder)
for (const part of ['texts', 'campaigns', 'service', 'webhooks', 'server']) {
  const english = pathsIn(await textsOf(part, 'en'))
  for (const lang of langs) {
    const own = new Set(pathsIn(await textsOf(part, lang)))
    const missing = english.filter((path) => !own.has(path))
    if (missing.length > 0) console.log(`${part}.${lang}: ${missing.join(', ')}`)
  }
}
