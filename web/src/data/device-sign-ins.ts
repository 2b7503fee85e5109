/** Programs that wait to be signed in by a code that the reader types. */
import { useMutation } from "@tanstack/react-query";
import { decideDeviceSignIn, findDeviceSignIn } from "@/gen/echomind/public/v1/device_sign_in_service_client";

/** Finds the program that shows a code. */
export function useFindDeviceSignIn() {
  return useMutation({ mutationFn: (userCode: string) => findDeviceSignIn({ userCode }) });
}

/** Approves or denies it; the code is then used up. */
export function useDecideDeviceSignIn() {
  return useMutation({ mutationFn: (decision: { userCode: string; approved: boolean }) => decideDeviceSignIn(decision) });
}
