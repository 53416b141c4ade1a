/** The services that innctl speaks with, by how they spell the operations; see docs/adr/0023. */
export const dialectNames = ['contract', 'apaleo'] as const;
export type DialectName = (typeof dialectNames)[number];

/** Said of what the contract does not have. */
export const notInContract = 'is not part of the contract: a service of the dialect apaleo has it';
