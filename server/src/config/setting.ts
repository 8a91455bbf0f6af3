import type { SettingKind } from './setting-kinds.ts'

export interface Setting<Value = unknown> {
  /** The environment variable. */
  readonly name: string
  /** A readable description, shown in the guide to settings. */
  readonly meaning: string
  readonly kind: SettingKind<unknown>
  /** The value if the variable is not set, or blank. */
  readonly fallback: Value
  /** Shown in the guide instead of the fallback. */
  readonly shownDefault?: string
}

type Definition<Value> = Omit<Setting, 'kind' | 'fallback'> & { readonly kind: SettingKind<Value> }

export const setting = <Value>(definition: Definition<Value> & { readonly fallback: NoInfer<Value> }): Setting<Value> =>
  definition

/** A setting whose value is null if the variable is not set. */
export const optional = <Value>(
  definition: Definition<Value> & { readonly shownDefault: string },
): Setting<Value | null> => ({
  ...definition,
  fallback: null,
})
