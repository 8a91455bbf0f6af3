// Lists the texts of the console and of the server that a language lacks and shows in English.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../install.mjs'

const translations = 'console/src/words/translations'
const isGroup = (text) => typeof text === 'object' && text !== null && !Array.isArray(text)
const pathsIn = (texts, path = '') =>
  Object.entries(texts).flatMap(([name, text]) => (isGroup(text) ? pathsIn(text, `${path}${name}.`) : [path + name]))
const pathsOf = async (file) => pathsIn(Object.values(await import(join(root, file)))[0])

for (const file of ['server/src/words/en.ts', ...new Bun.Glob(`${translations}/en/*.ts`).scanSync(root)]) {
  const english = await pathsOf(file)
  for (const lang of readdirSync(join(root, translations))) {
    const translated = file.replaceAll(/\ben\b/g, lang)
    const own = new Set(await pathsOf(translated))
    const missing = english.filter((path) => !own.has(path))
    if (missing.length > 0) console.log(`${translated}: ${missing.join(', ')}`)
  }
}
