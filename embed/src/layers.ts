/**
 * Without `!important` a later layer wins, with it an earlier one does. So the rules that keep a poll honest stand first
 * and are all `!important`: neither a brand's `!important` nor a rule outside of every layer gets past them.
 */
export const LAYER_ORDER = '@layer tossup.integrity, tossup.base, tossup.theme, tossup.brand;'

/** The layer of a brand's rules, and the prefix of each of its selectors. */
export const BRAND_LAYER = 'tossup.brand'
export const ROOT = '.tossup'
