export const attackCases = () => [];
