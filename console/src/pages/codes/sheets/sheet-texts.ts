import type { Lang } from '../../../../../embed/src/words.ts'

interface SheetTexts {
  readonly how: string
  readonly once: string
}

/** The words on a slip. Its reader is a voter, whose language may be another one than that of the console. */
export const SHEET_TEXTS: Readonly<Record<Lang, SheetTexts>> = {
  en: { how: 'Scan, or open {address} and enter the code.', once: 'It counts once. Keep it to yourself.' },
  de: { how: 'Scannen oder {address} öffnen und den Code eingeben.', once: 'Er zählt einmal. Gib ihn nicht weiter.' },
  fr: {
    how: 'Scannez, ou ouvrez {address} et saisissez le code.',
    once: 'Il compte une seule fois. Gardez-le pour vous.',
  },
  es: { how: 'Escanea o abre {address} e introduce el código.', once: 'Cuenta una sola vez. No lo compartas.' },
  pt: { how: 'Digitalize, ou abra {address} e introduza o código.', once: 'Conta uma só vez. Guarde-o para si.' },
  ja: {
    how: '読み取るか、{address} を開いてコードを入力してください。',
    once: '有効なのは1回だけです。人に渡さないでください。',
  },
  zh: { how: '扫码，或打开 {address} 并输入代码。', once: '只计一次。请勿转交他人。' },
  ar: { how: 'امسح الرمز، أو افتح {address} وأدخل الرمز المكتوب.', once: 'يُحتسب مرة واحدة. احتفظ به لنفسك.' },
  hi: { how: 'स्कैन करें, या {address} खोलकर कोड लिखें।', once: 'यह एक बार गिना जाता है। इसे किसी और को न दें।' },
  uk: {
    how: 'Відскануйте або відкрийте {address} і введіть код.',
    once: 'Він зараховується один раз. Нікому його не передавайте.',
  },
}
