/** The request headers that decide how Tossup answers, beside the device of a vote. */
export const ASKED_OF_ALL = ['host', 'accept-encoding']
export const ASKED_OF_VOTES = ['content-type', 'content-length', 'content-encoding', 'authorization', 'origin']
