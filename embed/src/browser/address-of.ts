/** The service is the origin of this script. */
export const origin = new URL(import.meta.url).origin

export const addressOf = (path: string): string => origin + path

export const API = addressOf('/api/rest/v1')
