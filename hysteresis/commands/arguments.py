"""Arguments that several commands share."""

from argparse import ArgumentParser, Namespace

from hysteresis.jobs.compute import Compute


def add_compute_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda (default: auto)")
    parser.add_argument("--allow-tf32", action="store_true", help="TF32 convolutions on CUDA")


def compute_from(arguments: Namespace) -> Compute:
    return Compute(device=arguments.device, allow_tf32=arguments.allow_tf32)
