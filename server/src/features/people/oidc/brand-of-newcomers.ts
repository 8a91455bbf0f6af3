import type { Role } from '../../../base/roles.ts'
import type { Config } from '../../../config/config.ts'
import type { Db } from '../../../db/store.ts'

interface Joined {
  readonly brandKey: number
  readonly slug: string
  readonly role: Role
}

/** With OIDC_DEFAULT_ROLE, newcomers join the brand of the service. Where there are several, an owner has to choose: none. */
export async function brandOfNewcomers(db: Db, { oidcDefaultRole: role }: Config): Promise<Joined | null> {
  if (role === null) return null
  const brands = db.selectFrom('brands').select(['key', 'slug']).where('deleted_at', 'is', null)
  const [brand, another] = await brands.limit(2).execute()
  return brand && !another ? { brandKey: brand.key, slug: brand.slug, role } : null
}
