"""What the command line says about answers, wherever they are kept."""
