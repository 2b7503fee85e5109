/** Runs before each test file that renders: what a test waits for may take its time on a busy machine. */
import { configure } from "@testing-library/react";

configure({ asyncUtilTimeout: 30_000 });
