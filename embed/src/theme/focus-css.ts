const rules = Array.from({ length: 21 }, (_, step) => [
  `.tossup [data-at^="${step} "]{--tossup-x:${5 * step}%}`,
  `.tossup [data-at$=" ${step}"]{--tossup-y:${5 * step}%}`,
])

/** The part of a picture that stays in sight where its frame cuts it: a rule for each step that `picture.ts` writes. */
export const focusCss: string = `@layer tossup.base {${rules.flat().join('')}}`
