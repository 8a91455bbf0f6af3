/**
 * Without `!important` a later layer wins, with it an earlier one. So the integrity rules come first and are all
 * `!important`: neither a brand's `!important` nor a rule outside every layer can override them.
 */
export const LAYER_ORDER = '@layer tossup.integrity, tossup.base, tossup.theme, tossup.brand;'

/** The layer of a brand's rules, and the prefix of each of its selectors. */
export const BRAND_LAYER = 'tossup.brand'
export const ROOT = '.tossup'
