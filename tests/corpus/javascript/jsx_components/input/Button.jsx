const Button = (props) => <button {...props} />;
export default Button;
