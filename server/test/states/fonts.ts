import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

const FONTS = new URL('../../fonts/', import.meta.url)

/** A configuration of fontconfig with the fonts of the share cards beside those of this machine, which may lack whole scripts. */
function configWithFonts(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tossup-fonts-'))
  mkdirSync(join(folder, 'cache'))
  for (const name of readdirSync(FONTS).filter((each) => each.endsWith('.ttf.br'))) {
    writeFileSync(join(folder, name.slice(0, -3)), brotliDecompressSync(readFileSync(new URL(name, FONTS))))
  }
  const file = join(folder, 'fonts.conf')
  writeFileSync(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><include ignore_missing="yes">/etc/fonts/fonts.conf</include><dir>${folder}</dir><cachedir>${folder}/cache</cachedir></fontconfig>`,
  )
  return file
}

/** A browser that `open` starts has letters for every language of the service. */
export async function withFonts<Opened>(open: () => Promise<Opened>): Promise<Opened> {
  const before = process.env['FONTCONFIG_FILE']
  process.env['FONTCONFIG_FILE'] = configWithFonts()
  try {
    return await open()
  } finally {
    if (before === undefined) delete process.env['FONTCONFIG_FILE']
    else process.env['FONTCONFIG_FILE'] = before
  }
}
